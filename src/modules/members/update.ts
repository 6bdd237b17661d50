import { fieldSentence, ConflictError, InvalidError, NotFoundError } from '../../lib/errors'
import { normalEmail } from '../../lib/fields'
import { isoTime } from '../../lib/clock'
import type { Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { emit } from '../../infra/outbox/events'
import { recordAudit } from '../audit/record'
import { requireOther } from '../auth/admin-access/service'
import { notifyIn } from '../notifications/service'
import { PermissionsChanged } from '../memberships/events'
import type { NewMember } from '../memberships/model'
import { getMember, type Member } from '../memberships/queries'
import {
  addMemberIn,
  publishMemberIn,
  findMembership,
  membershipsOf,
  requireOtherAdminIn,
  updateMembershipIn,
} from '../memberships/service'
import { getOrganization } from '../organizations/service'
import { requireCoversRole } from '../roles/require-covers'
import type { RoleRow } from '../roles/queries'
import { findUser, findUserByEmail, type UserRow } from '../users/service'
import { requireManages } from './authorize'
import { chosenRole } from './queries'

/** A person to add to the organization of the scope. */
type Newcomer = Pick<UserRow, 'id' | 'fullName'>

/**
 * Makes a person a member of the scope's organization. Always creates a new membership; it becomes
 * the default only if the person has no other. `isOwnWish` marks a person who joins, in contrast to
 * one who is added. Runs inside the caller's transaction.
 */
export function joinIn(
  tx: Tx,
  ctx: Ctx,
  user: Newcomer,
  how: { role: Pick<RoleRow, 'id' | 'name'>; isOwnWish: boolean },
): void {
  const { role, isOwnWish } = how
  const isDefault = membershipsOf(ctx, user.id).length === 0
  addMemberIn(tx, ctx, {
    userId: user.id,
    roleId: role.id,
    isDefault,
    ...(isOwnWish ? { acceptedFromMs: ctx.clock.nowMs() } : {}),
  })
  publishMemberIn(tx, ctx, user.id, 'added')
  recordAudit(tx, ctx, {
    action: 'member_added',
    resourceType: 'user',
    resourceId: user.id,
    resourceName: user.fullName,
    changes: [{ field: 'role', old_value: null, new_value: role.name }],
  })
}

/**
 * Requires that the user is not a member yet, suspended or not. Throws ConflictError
 * `already_member`.
 */
export function requireNoMember(ctx: Ctx, userId: string): void {
  if (findMembership(ctx, { organizationId: ctx.organizationId, userId }))
    throw new ConflictError('The user is already a member of the organization.', {
      code: 'already_member',
    })
}

/**
 * Adds an existing account to the organization (spec 4.3) and notifies its owner. Throws
 * InvalidError unless exactly one of user ID and email is given or for an unknown role,
 * NotFoundError for an unknown or disabled account, ForbiddenError `escalation`, and ConflictError
 * `already_member`.
 */
export function addMember(ctx: Ctx, input: NewMember): { message: string } {
  if ((input.user_id === undefined) === (input.email === undefined)) {
    const message = 'requires exactly one of user_id and email'
    throw new InvalidError(fieldSentence('body', message), {
      code: 'invalid_input',
      errors: [
        { path: 'body.user_id', message },
        { path: 'body.email', message },
      ],
    })
  }
  return transact(ctx.db, (tx) => {
    const role = chosenRole(ctx, input.role_id)
    requireCoversRole(ctx, role.id)
    const user =
      input.user_id === undefined
        ? findUserByEmail(ctx, normalEmail(input.email ?? ''))
        : findUser(ctx, input.user_id)
    if (!user || user.isDisabled) throw new NotFoundError('User')
    requireNoMember(ctx, user.id)
    joinIn(tx, ctx, user, { role, isOwnWish: false })
    notifyIn(tx, ctx, {
      userId: user.id,
      kind: 'membership_added',
      severity: 'info',
      title: `You are now a member of ${getOrganization(ctx).name}`,
      body:
        `${ctx.actor.userName ?? 'An administrator'} added you with the role ${role.name} at ` +
        `${isoTime(ctx.clock.nowMs())}. You can leave at any time.`,
    })
    return { message: `${user.fullName} was added.` }
  })
}

/**
 * Changes the role of a member, given by membership or user ID (spec 4.3). Throws NotFoundError,
 * InvalidError for the caller itself or an unknown role, ForbiddenError `escalation`, and
 * ConflictError `last_admin`.
 */
export function changeMemberRole(ctx: Ctx, memberId: string, roleId: string): { message: string } {
  return transact(ctx.db, (tx) => {
    const member = getMember(ctx, memberId)
    requireOther(ctx, member.user.id, [
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
 * Changes the role and active flag of a member. Returns whether anything changed. Throws
 * ConflictError `last_admin`. Runs inside the caller's transaction.
 */
export function changeMembershipIn(
  tx: Tx,
  ctx: Ctx,
  member: Member,
  changes: { role?: RoleRow; isActive?: boolean | undefined },
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
    recordAudit(tx, ctx, {
      ...fact,
      action: isActive ? 'restored' : 'suspended',
      changes: [{ field: 'is_active', old_value: !isActive, new_value: isActive }],
    })
  }
  return hasNewRole || hasNewFlag
}
