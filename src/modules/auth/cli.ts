import { eq, or } from 'drizzle-orm'

import { HOUR_MS } from '../../lib/clock'
import { ConflictError, InvalidError, NotFoundError } from '../../lib/errors'
import { isEmail, isName, nameRule, normalEmail, passwordProblem } from '../../lib/fields'
import { printable } from '../../lib/printable'
import { randomHex } from '../../lib/random'
import { systemCtx, type Deps } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { recordAudit } from '../audit/record'
import { addMemberIn } from '../memberships/service'
import { createOrganizationIn, findOldestOrganization } from '../organizations/service'
import { organizations } from '../organizations/table'
import { findSystemRole } from '../roles/service'
import type { PasswordHasher } from '../users/password'
import { createUserIn, findUserByEmail } from '../users/service'
import { newResetLinkIn, type ResetLink } from './password-reset/links'
import { endSessionsOfUserIn } from './sessions'
import { membershipsOf } from '../memberships/find'

/** A super admin made on the machine itself. */
export interface NewSuperAdmin {
  email: string
  name: string
  /** `null`: a link is made by which the person chooses one. */
  password: string | null
  /** The organization whose admin it becomes; `null` for none, or for the first one. */
  organization: string | null
  /** Name of the first organization where there is none yet and `organization` does not say it. */
  firstOrganization: string
}

const LINK_LIFE_MS = HOUR_MS

/**
 * Makes a super admin; and the first organization, whose admin it is, where there is none. Throws
 * InvalidError, ConflictError `email_taken` and NotFoundError for an organization that does not
 * exist.
 */
export async function createSuperAdmin(
  deps: Deps,
  hasher: PasswordHasher,
  input: NewSuperAdmin,
): Promise<{ userId: string; email: string; link: ResetLink | null }> {
  const email = normalEmail(input.email)
  if (!isEmail(input.email))
    throw new InvalidError(`${printable(input.email)} is not an email address.`)
  const fullName = input.name.trim()
  if (!isName(fullName)) throw new InvalidError(`The name ${nameRule()}.`)
  const problem = input.password === null ? null : passwordProblem(input.password)
  if (problem) throw new InvalidError(`The password ${problem}.`)
  // Nobody knows the other one: only the link opens the account.
  const passwordHash = await hasher.hash(input.password ?? randomHex(32))
  return transact(deps.db, (tx) => {
    if (findUserByEmail(deps, email))
      throw new ConflictError(`An account with the email ${email} already exists.`, {
        code: 'email_taken',
      })
    const at = placeIn(tx, deps, input)
    const userId = createUserIn(tx, deps, {
      email,
      passwordHash,
      fullName,
      homeOrganizationId: at?.organizationId ?? null,
      isSuperAdmin: true,
      mustChangePassword: false,
    })
    if (at)
      addMemberIn(tx, systemCtx(deps, at.organizationId), {
        userId,
        roleId: at.adminRoleId,
        isDefault: true,
      })
    noteIn(tx, deps, {
      userId,
      name: fullName,
      action: 'created',
      organizationId: at?.organizationId ?? null,
    })
    return {
      userId,
      email,
      link:
        input.password === null
          ? newResetLinkIn(tx, deps, { userId, livesMs: LINK_LIFE_MS })
          : null,
    }
  })
}

/** The organization a new super admin belongs to and its admin role; `null` for none. */
function placeIn(
  tx: Tx,
  deps: Deps,
  input: NewSuperAdmin,
): { organizationId: string; adminRoleId: string } | null {
  const wanted = input.organization?.trim() ?? null
  if (!findOldestOrganization(deps)) {
    const name = wanted ?? input.firstOrganization.trim()
    if (!isName(name)) throw new InvalidError(`The name of the organization ${nameRule()}.`)
    const made = createOrganizationIn(tx, deps, { name })
    return { organizationId: made.id, adminRoleId: made.roleIds.admin }
  }
  if (wanted === null) return null
  const found = tx
    .select({ id: organizations.id })
    .from(organizations)
    .where(
      or(
        eq(organizations.id, wanted),
        eq(organizations.slug, wanted),
        eq(organizations.name, wanted),
      ),
    )
    .limit(2)
    .all()
  const [one] = found
  if (!one) throw new NotFoundError(`Organization ${wanted}`)
  if (found.length > 1)
    throw new ConflictError(
      `Several organizations are named ${wanted}. Use the ID or slug (see "organization ` +
        'list").',
    )
  const role = findSystemRole({ ...deps, organizationId: one.id }, 'admin')
  if (!role) throw new NotFoundError('Admin role')
  return { organizationId: one.id, adminRoleId: role.id }
}

/**
 * Ends every session of an account and makes a link by which its holder chooses a new password
 * within an hour. Throws NotFoundError when there is no such account.
 */
export const issueResetLink = (deps: Deps, written: string): ResetLink & { email: string } =>
  transact(deps.db, (tx) => {
    const user = findUserByEmail(deps, written.trim().toLowerCase())
    if (!user) throw new NotFoundError(`An account with the email ${written}`)
    endSessionsOfUserIn(tx, deps, user.id, { reason: 'password_reset' })
    noteIn(tx, deps, {
      userId: user.id,
      name: user.fullName,
      action: 'password_reset',
      organizationId: user.homeOrganizationId,
    })
    return {
      email: user.email,
      ...newResetLinkIn(tx, deps, { userId: user.id, livesMs: LINK_LIFE_MS }),
    }
  })

/**
 * Writes an entry of the audit log where there is a place for it: at home, else where the person
 * belongs, else in the oldest organization.
 */
function noteIn(
  tx: Tx,
  deps: Deps,
  of: { userId: string; name: string; action: string; organizationId: string | null },
): void {
  const place =
    of.organizationId ??
    membershipsOf(deps, of.userId)[0]?.organizationId ??
    findOldestOrganization(deps)?.id
  if (place === undefined) return
  recordAudit(tx, systemCtx(deps, place), {
    action: of.action,
    resourceType: 'user',
    resourceId: of.userId,
    resourceName: of.name,
  })
}
