import { normalEmail } from '../../../lib/fields'
import { randomText } from '../../../lib/random'
import { systemCtx, type Deps } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { addMemberIn } from '../memberships/service'
import { createOrganizationIn } from '../organizations/service'
import type { PasswordHasher } from './password'
import { createUserIn, hasUsers } from './service'

/** The user that the first start creates. */
export interface FirstAdmin {
  email: string
  /** `null` generates a random password and returns it. */
  password: string | null
  organization: string
}

const GENERATED_LENGTH = 20
const GENERATED_ALPHABET = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/**
 * Creates one organization with its system roles and one super admin who is its admin, if the
 * installation has no user. Returns the email and the generated password, to be shown once, or
 * `null` if there is a user already. The settings were validated when they were read.
 */
export async function createFirstAdmin(
  deps: Deps,
  hasher: PasswordHasher,
  admin: FirstAdmin,
): Promise<{ email: string; password: string | null } | null> {
  if (transact(deps.db, hasUsers)) return null
  const email = normalEmail(admin.email)
  const password = admin.password ?? randomText(GENERATED_LENGTH, GENERATED_ALPHABET)
  const passwordHash = await hasher.hash(password, { organizationId: null })
  const isFirst = transact(deps.db, (tx) => {
    if (hasUsers(tx)) return false
    const organization = createOrganizationIn(tx, deps, { name: admin.organization })
    const userId = createUserIn(tx, deps, {
      email,
      passwordHash,
      fullName: 'Administrator',
      homeOrganizationId: organization.id,
      isSuperAdmin: true,
      mustChangePassword: admin.password === null,
    })
    addMemberIn(tx, systemCtx(deps, organization.id), {
      userId,
      roleId: organization.roleIds.admin,
      isDefault: true,
    })
    return true
  })
  return isFirst ? { email, password: admin.password === null ? password : null } : null
}
