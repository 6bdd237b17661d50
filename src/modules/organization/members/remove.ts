import { and, count, eq, gt, isNull, or } from 'drizzle-orm'

import { NotFoundError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { runHooks } from '../../../infra/transaction-hooks'
import { apiKeys } from '../api-keys/table'
import { recordAudit } from '../audit/record'
import { rejectOwnRecord } from '../auth/admin-access/service'
import { endOrganizationTokensIn } from '../auth/sessions'
import { unassignContactsIn } from '../../inbox/contacts/service'
import { unassignConversationsIn } from '../../inbox/conversations/assign'
import { notifyIn } from '../notifications/service'
import { requireWritable } from '../organizations/service'
import { getMember, getMemberByUser, type Member } from '../memberships/queries'
import { deleteMembershipIn } from '../memberships/service'
import { leaveTeamsIn } from '../../inbox/teams/members'
import { updateUserIn } from '../users/service'
import { publishMemberIn } from '../memberships/publish'
import { findAdmins, requireOtherAdminIn } from '../memberships/admins'
import { membershipsOf } from '../memberships/find'
import { requireManages } from './authorize'
import { closeBreakIn, reportAvailabilityIn } from './availability'
import { MembershipEnded } from './events'
import type { Removed } from './model'
import { recordRemovalIn } from './removals'
import { noticeText } from '../notifications/catalog'

/**
 * Removes a member, given by membership or user ID, from the organization. Throws NotFoundError,
 * InvalidError for the caller itself, ForbiddenError `escalation`, and ConflictError `last_admin`.
 */
export const removeMember = (ctx: Ctx, memberId: string): Removed =>
  remove(ctx, 'path.member_id', () => getMember(ctx, memberId))

/**
 * Removes a user from the organization; the account stays. Throws the errors of
 * {@link removeMember}.
 */
export const removeUser = (ctx: Ctx, userId: string): Removed =>
  remove(ctx, 'path.id', () => getMemberByUser(ctx, userId))

function remove(ctx: Ctx, path: string, find: () => Member): Removed {
  return transact(ctx.db, (tx) => {
    const member = find()
    rejectOwnRecord(ctx, member.user.id, [
      {
        path,
        message:
          'is your own membership; leave with DELETE /api/me/organizations/{organization_id}',
      },
    ])
    requireManages(ctx, member)
    const ended = endMembershipIn(tx, ctx, member)
    recordRemovalIn(tx, ctx, member.user.id)
    return { message: `${member.user.fullName} was removed.`, ...ended }
  })
}

/**
 * Ends the caller's own membership in an organization. Throws NotFoundError, also for a suspended
 * member, ConflictError `last_admin` or `moved`, and UnavailableError `organization_moving`.
 */
export function leaveOrganization(ctx: Ctx, organizationId: string): void {
  const there: Ctx = { ...ctx, organizationId }
  transact(ctx.db, (tx) => {
    const membership = membershipsOf(ctx, ctx.actor.userId ?? '').find(
      (own) => own.organizationId === organizationId,
    )
    // A suspended member must not lift the suspension by leaving and joining again.
    if (!membership?.isActive) throw new NotFoundError('Organization')
    requireWritable(ctx, organizationId)
    endMembershipIn(tx, there, getMemberByUser(there, ctx.actor.userId ?? ''))
  })
}

/**
 * Ends a membership: unassigns its contacts and conversations, ends its tokens and sockets in this
 * organization, and disables its API keys. The account, its other memberships and its content stay.
 * Runs inside the caller's transaction.
 */
function endMembershipIn(tx: Tx, ctx: Ctx, member: Member): Omit<Removed, 'message'> {
  const { user } = member
  requireOtherAdminIn(tx, ctx, user.id)
  publishMemberIn(tx, ctx, user.id, 'removed')
  const transfersReturned = reportAvailabilityIn(tx, ctx, user.id, false)
  leaveTeamsIn(tx, ctx, user.id)
  unassignConversationsIn(tx, ctx, user.id)
  const contactsUnassigned = unassignContactsIn(tx, ctx, user.id)
  const keysStopped = countKeys(tx, ctx, member)
  closeBreakIn(tx, ctx, user.id)
  endOrganizationTokensIn(tx, ctx, user.id)
  deleteMembershipIn(tx, ctx, user.id)
  runHooks(tx, ctx, MembershipEnded, { userId: user.id })
  const isOrphan = membershipsOf(ctx, user.id).length === 0
  updateUserIn(tx, ctx, user.id, {
    ...(user.homeOrganizationId === ctx.organizationId ? { homeOrganizationId: null } : {}),
    ...(isOrphan ? { orphanedAtMs: ctx.clock.nowMs() } : {}),
  })
  recordAudit(tx, ctx, {
    action: 'member_removed',
    resourceType: 'user',
    resourceId: user.id,
    resourceName: user.fullName,
    changes: [
      { field: 'role', old_value: member.role.name, new_value: null },
      { field: 'contacts_unassigned', old_value: null, new_value: contactsUnassigned },
      { field: 'api_keys_stopped', old_value: null, new_value: keysStopped },
    ],
  })
  if (keysStopped > 0) tellAdminsIn(tx, ctx, user.fullName, keysStopped)
  return {
    contacts_unassigned: contactsUnassigned,
    transfers_returned: transfersReturned,
    api_keys_stopped: keysStopped,
  }
}

/** Counts the active API keys of a member. */
const countKeys = (tx: Tx, ctx: Ctx, { user, membership }: Member): number =>
  tx
    .select({ rows: count() })
    .from(apiKeys)
    .where(
      inOrganization(
        ctx,
        apiKeys,
        and(
          eq(apiKeys.ownerUserId, user.id),
          eq(apiKeys.ownerMembershipId, membership.id),
          eq(apiKeys.isActive, true),
          or(isNull(apiKeys.expiresAtMs), gt(apiKeys.expiresAtMs, ctx.clock.nowMs())),
        ),
      ),
    )
    .get()?.rows ?? 0

function tellAdminsIn(tx: Tx, ctx: Ctx, name: string, keys: number): void {
  for (const userId of findAdmins(ctx))
    notifyIn(tx, ctx, {
      userId,
      kind: 'api_key_stopped',
      severity: 'warning',
      text: noticeText('api_key_stopped', { name, keys }),
      title:
        keys === 1
          ? `API key of ${name} stopped working`
          : `${keys} API keys of ${name} stopped working`,
      body:
        `${name} was removed and owned ${keys === 1 ? 'this key' : 'these keys'}. Take over ` +
        'the keys you still need.',
    })
}
