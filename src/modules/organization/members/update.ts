import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { recordAudit } from '../audit/record'
import { rejectOwnRecord } from '../auth/admin-access/service'
import { PermissionsChanged } from '../memberships/events'
import { getMember, type Member } from '../memberships/queries'
import { updateMembershipIn } from '../memberships/service'
import { requireCoversRole } from '../roles/require-covers'
import type { RoleRow } from '../roles/queries'
import { publishMemberIn } from '../memberships/publish'
import { requireOtherAdminIn } from '../memberships/admins'
import { requireManages } from './authorize'
import { reportAvailabilityIn } from './availability'
import { chosenRole } from './queries'

/**
 * Changes the role of a member, given by membership or user ID (spec 4.3). Throws NotFoundError,
 * InvalidError for the caller itself or an unknown role, ForbiddenError `escalation`, and
 * ConflictError `last_admin`.
 */
export function changeMemberRole(ctx: Ctx, memberId: string, roleId: string): { message: string } {
  return transact(ctx.db, (tx) => {
    const member = getMember(ctx, memberId)
    rejectOwnRecord(ctx, member.user.id, [
      {
        path: 'path.member_id',
        message: 'is your own membership; another user who manages members must change your role',
      },
    ])
    const role = chosenRole(ctx, roleId)
    requireManages(ctx, member)
    requireCoversRole(ctx, role.id)
    if (changeMembershipIn(tx, ctx, member, { role }))
      publishMemberIn(tx, ctx, member.user.id, 'updated')
    return { message: `${member.user.fullName} now has the role ${role.name}.` }
  })
}

/**
 * Changes the role and flags of a member. Returns whether anything changed. Throws
 * ConflictError `last_admin`. Runs inside the caller's transaction.
 */
export function changeMembershipIn(
  tx: Tx,
  ctx: Ctx,
  member: Member,
  changes: { role?: RoleRow; isActive?: boolean | undefined; isConfirmed?: boolean },
): boolean {
  const { role, isActive } = changes
  const { user, membership } = member
  const hasNewRole = role !== undefined && role.id !== member.role.id
  const hasNewFlag = isActive !== undefined && isActive !== membership.isActive
  if (hasNewRole || (hasNewFlag && !isActive)) requireOtherAdminIn(tx, ctx, user.id)
  const fact = { resourceType: 'user', resourceId: user.id, resourceName: user.fullName }
  if (hasNewRole) {
    updateMembershipIn(tx, ctx, user.id, { roleId: role.id })
    recordAudit(tx, ctx, {
      ...fact,
      action: 'role_changed',
      changes: [{ field: 'role', old_value: member.role.name, new_value: role.name }],
    })
    emit(tx, ctx, PermissionsChanged, {
      contactId: null,
      payload: { userId: user.id, reason: 'role_changed' },
    })
  }
  if (hasNewFlag) {
    updateMembershipIn(tx, ctx, user.id, { isActive })
    reportAvailabilityIn(tx, ctx, user.id, isActive)
    recordAudit(tx, ctx, {
      ...fact,
      action: isActive ? 'restored' : 'suspended',
      changes: [{ field: 'is_active', old_value: !isActive, new_value: isActive }],
    })
  }
  const isNewlyConfirmed = changes.isConfirmed === true && !membership.isConfirmed
  if (isNewlyConfirmed) {
    updateMembershipIn(tx, ctx, user.id, { isConfirmed: true })
    recordAudit(tx, ctx, {
      ...fact,
      action: 'confirmed',
      changes: [{ field: 'is_confirmed', old_value: false, new_value: true }],
    })
    emit(tx, ctx, PermissionsChanged, {
      contactId: null,
      payload: { userId: user.id, reason: 'confirmed' },
    })
  }
  return hasNewRole || hasNewFlag || isNewlyConfirmed
}
