import { fieldSentence, ConflictError, InvalidError, NotFoundError } from '../../../lib/errors'
import { normalEmail } from '../../../lib/fields'
import { isoTime } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { recordAudit } from '../audit/record'
import { notifyIn } from '../notifications/service'
import type { NewMember } from '../memberships/model'
import { addMemberIn } from '../memberships/service'
import { getOrganization, requireNotMoving } from '../organizations/service'
import { requireCoversRole } from '../roles/require-covers'
import type { RoleRow } from '../roles/queries'
import { findUser, findUserByEmail, type UserRow } from '../users/service'
import { publishMemberIn } from '../memberships/publish'
import { findMembership, membershipsOf } from '../memberships/find'
import { chosenRole } from './queries'
import { forgetRemovalIn } from './removals'
import { noticeText } from '../notifications/catalog'

/** A person to add to the organization of the scope. */
type Newcomer = Pick<UserRow, 'id' | 'fullName'>

/**
 * Makes a person a member of the scope's organization. Always creates a new membership; it becomes
 * the default only if the person has no other. `isOwnWish` marks a person who joins, in contrast to
 * one who is added. Unless `isConfirmed`, an admin has to vouch for the person. Runs inside the caller's transaction.
 */
export function joinIn(
  tx: Tx,
  ctx: Ctx,
  user: Newcomer,
  how: { role: Pick<RoleRow, 'id' | 'name'>; isOwnWish: boolean; isConfirmed?: boolean },
): void {
  const { role, isOwnWish, isConfirmed = true } = how
  requireNotMoving(ctx, ctx.organizationId)
  const isDefault = membershipsOf(ctx, user.id).length === 0
  addMemberIn(tx, ctx, {
    userId: user.id,
    roleId: role.id,
    ...{ isDefault, isConfirmed },
    ...(isOwnWish ? { acceptedFromMs: ctx.clock.nowMs() } : {}),
  })
  forgetRemovalIn(tx, ctx, user.id)
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
      text: noticeText('member_added', {
        ...{ organization: getOrganization(ctx).name, role: role.name },
        ...(ctx.actor.userName === null ? {} : { by: ctx.actor.userName }),
      }),
      body:
        `${ctx.actor.userName ?? 'An administrator'} added you with the role ${role.name} at ` +
        `${isoTime(ctx.clock.nowMs())}. You can leave at any time.`,
    })
    return { message: `${user.fullName} was added.` }
  })
}
