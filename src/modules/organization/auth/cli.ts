import { HOUR_MS } from '../../../lib/clock'
import { ConflictError, InvalidError, NotFoundError } from '../../../lib/errors'
import { isEmail, isName, nameRule, normalEmail, passwordProblem } from '../../../lib/fields'
import { printable } from '../../../lib/printable'
import { randomHex } from '../../../lib/random'
import { systemCtx, type Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import type { AuditAction } from '../audit/model'
import { recordAudit } from '../audit/record'
import { addMemberIn } from '../memberships/service'
import {
  createOrganizationIn,
  findOldestOrganization,
  organizationNamed,
} from '../organizations/service'
import { findSystemRole } from '../roles/service'
import type { PasswordHasher } from '../users/password'
import { createUserIn, findUserByEmail } from '../users/service'
import { newResetLinkIn, type ResetLink } from './password-reset/links'
import { endSessionsOfUserIn } from './sessions'
import { membershipsOf } from '../memberships/find'

/** A super admin created on the command line. */
export interface NewSuperAdmin {
  email: string
  name: string
  /** `null` creates a link with which the person chooses a password. */
  password: string | null
  /**
   * The organization the super admin joins as an admin. `null` joins the first organization if this
   * call creates it, and none otherwise.
   */
  organization: string | null
  /** Name of the organization to create if there is none and `organization` is `null`. */
  firstOrganization: string
}

const LINK_LIFETIME_MS = HOUR_MS

/**
 * Creates a super admin, and the first organization if there is none. Throws InvalidError,
 * ConflictError `email_taken`, and NotFoundError for an unknown organization.
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
  // A random password that nobody knows: only the link gives access.
  const passwordHash = await hasher.hash(input.password ?? randomHex(32), {
    organizationId: null,
  })
  return transact(deps.db, (tx) => {
    if (findUserByEmail(deps, email))
      throw new ConflictError(`A user with the email ${email} already exists.`, {
        code: 'email_taken',
      })
    const at = findOrCreateOrganizationIn(tx, deps, input)
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
    recordActionIn(tx, deps, {
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
          ? newResetLinkIn(tx, deps, { userId, livesMs: LINK_LIFETIME_MS })
          : null,
    }
  })
}

/** Returns the organization a new super admin joins, and its admin role, or `null` for none. */
function findOrCreateOrganizationIn(
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
  const one = organizationNamed(deps, wanted)
  const role = findSystemRole({ ...deps, organizationId: one.id }, 'admin')
  if (!role) throw new NotFoundError('Admin role')
  return { organizationId: one.id, adminRoleId: role.id }
}

/**
 * Ends every session of a user and creates a password reset link that is valid for an hour. Throws
 * NotFoundError.
 */
export const issueResetLink = (deps: Deps, written: string): ResetLink & { email: string } =>
  transact(deps.db, (tx) => {
    const user = findUserByEmail(deps, written.trim().toLowerCase())
    if (!user) throw new NotFoundError(`User with the email ${written}`)
    endSessionsOfUserIn(tx, deps, user.id, { reason: 'password_reset' })
    recordActionIn(tx, deps, {
      userId: user.id,
      name: user.fullName,
      action: 'password_reset',
      organizationId: user.homeOrganizationId,
    })
    return {
      email: user.email,
      ...newResetLinkIn(tx, deps, { userId: user.id, livesMs: LINK_LIFETIME_MS }),
    }
  })

/**
 * Records an action in the audit log of the user's home organization, otherwise of the user's first
 * organization, otherwise of the oldest one.
 */
function recordActionIn(
  tx: Tx,
  deps: Deps,
  of: { userId: string; name: string; action: AuditAction; organizationId: string | null },
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
