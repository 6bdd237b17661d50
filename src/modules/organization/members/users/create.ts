import { normalEmail } from '../../../../lib/fields'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { differences, recordAudit } from '../../audit/record'
import { addMemberIn } from '../../memberships/service'
import { requireCoversRole } from '../../roles/require-covers'
import type { RoleRow } from '../../roles/queries'
import { requireUncommonPassword, type PasswordHasher } from '../../users/password'
import { createUserIn } from '../../users/service'
import { publishMemberIn } from '../../memberships/publish'
import { withCurrentRights, requireSuperAdmin } from '../authorize'
import type { NewUser, UserView } from '../model'
import { chosenRole, getUser } from '../queries'
import { requireFreeEmail } from './require-free-email'

/**
 * Creates an account managed by this organization, with a membership. The person must choose a new
 * password at the first sign-in. Never changes an existing account. Throws InvalidError,
 * ForbiddenError `escalation` or `super_admin_required`, and ConflictError `email_taken`.
 */
export async function createUser(
  ctx: Ctx,
  hasher: PasswordHasher,
  input: NewUser,
): Promise<UserView> {
  const email = normalEmail(input.email)
  await requireUncommonPassword(ctx.settings, input.password, 'body.password')
  const requireAllowed = (at: Ctx): RoleRow => {
    if (input.is_super_admin !== undefined) requireSuperAdmin(at)
    const role = chosenRole(at, input.role_id)
    requireCoversRole(at, role.id)
    requireFreeEmail(at, email, null)
    return role
  }
  requireAllowed(ctx)
  const passwordHash = await hasher.hash(input.password, ctx)
  return transact(ctx.db, (tx) => {
    const now = withCurrentRights(ctx, 'users:create')
    const role = requireAllowed(now)
    const userId = createUserIn(tx, now, {
      email,
      passwordHash,
      fullName: input.full_name.trim(),
      homeOrganizationId: now.organizationId,
      isSuperAdmin: input.is_super_admin ?? false,
      mustChangePassword: true,
    })
    addMemberIn(tx, now, { userId, roleId: role.id, isDefault: true })
    const view = getUser(now, userId)
    recordAudit(tx, now, {
      ...factOf(view),
      action: 'created',
      changes: differences({}, auditView(view)),
    })
    publishMemberIn(tx, now, userId, 'added')
    return view
  })
}

const factOf = (view: UserView) => ({
  resourceType: 'user',
  resourceId: view.id,
  resourceName: view.full_name,
})

/** The fields of a user that the audit log compares. */
const auditView = ({ email, full_name, role, is_active, is_super_admin }: UserView) => ({
  email,
  full_name,
  role: role.name,
  is_active,
  is_super_admin,
})
