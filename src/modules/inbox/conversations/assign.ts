import { and, eq, isNull, ne } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { ConflictError, ForbiddenError, InvalidError } from '../../../lib/errors'
import { hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { runHooks } from '../../../infra/transaction-hooks'
import { differences, recordAudit } from '../../organization/audit/record'
import type { AssignmentView } from '../contacts/model'
import { assignContactIn } from '../contacts/service'
import { publishVisibilityChangeIn } from '../contacts/sight/publish-visibility'
import { viewersOf, getVisibleContact } from '../contacts/sight/visibility'
import type { ContactRow } from '../contacts/view'
import { requireActiveTeam } from '../teams/find'
import { findUser } from '../../organization/users/service'
import { findActiveMember } from '../../organization/memberships/find'
import { ConversationAssigned } from './events'
import { publishConversationIn, publishDifferenceIn, changeConversationIn } from './update'
import type { ConversationView, NewAssignment } from './model'
import { getClaimableConversation, getVisibleConversation } from './queries'
import { recordConversationIn } from './audit'
import type { ConversationRow } from './row'
import type { Assignment } from './assign-many'
import { conversations } from './table'
import { recordTimelineIn } from './timeline/record'
import { viewOf } from './load-views'

const notAMember = (path: string): InvalidError =>
  new InvalidError('`user_id` must be an active member of this organization.', {
    code: 'not_a_member',
    errors: [{ path, message: 'is not an active member' }],
  })

/**
 * Returns the requested assignee and team; omits those that the request does not name. Throws
 * InvalidError (`invalid_input`, `not_a_member`).
 */
function assignmentIn(ctx: Ctx, requested: NewAssignment): Assignment {
  const { user_id: userId, team_id: teamId } = requested
  if (userId === undefined && teamId === undefined)
    throw new InvalidError('`user_id` or `team_id` is required.', {
      code: 'invalid_input',
      errors: [{ path: 'body.user_id', message: 'is required without team_id' }],
    })
  if (userId != null && !findActiveMember(ctx, userId)) throw notAMember('body.user_id')
  if (teamId != null) requireActiveTeam(ctx, teamId, 'body.team_id')
  return {
    ...(userId === undefined ? {} : { assignedTo: userId }),
    ...(teamId === undefined ? {} : { teamId }),
  }
}

/**
 * Assigns a conversation and publishes it, also to the users who gain or lose sight of its contact.
 * Runs inside the caller's transaction.
 */
export function assignIn(
  tx: Tx,
  ctx: Ctx,
  before: ConversationRow,
  assignment: Assignment,
  how: 'claimed' | 'released' | 'assigned' = 'assigned',
): ConversationRow {
  const after = { ...before, ...assignment }
  if (before.assignedTo === after.assignedTo && before.teamId === after.teamId) return before
  const seenBefore = viewersOf(ctx, before.contactId)
  const row = changeConversationIn(tx, ctx, before, assignment)
  runHooks(tx, ctx, ConversationAssigned, { before, after: row, how })
  publishVisibilityChangeIn(tx, ctx, before.contactId, seenBefore)
  return row
}

/**
 * Assigns an unassigned conversation to the caller. If several members try at the same time, one
 * succeeds. Throws NotFoundError, ConflictError `already_assigned` with the name of the assignee,
 * and InvalidError `not_a_member`.
 */
export function claimConversation(ctx: Ctx, id: string): ConversationView {
  return transact(ctx.db, (tx) => {
    const before = getClaimableConversation(ctx, id)
    const userId = ctx.actor.userId ?? ''
    if (!findActiveMember(ctx, userId)) throw notAMember('credential')
    const seenBefore = viewersOf(ctx, before.contactId)
    const after = tx
      .update(conversations)
      .set({ assignedTo: userId, updatedAtMs: ctx.clock.nowMs() })
      .where(
        inOrganization(
          ctx,
          conversations,
          and(eq(conversations.id, id), isNull(conversations.assignedTo)),
        ),
      )
      .returning()
      .get()
    if (after) {
      publishDifferenceIn(tx, ctx, before, after)
      runHooks(tx, ctx, ConversationAssigned, { before, after, how: 'claimed' })
      publishVisibilityChangeIn(tx, ctx, before.contactId, seenBefore)
      recordConversationIn(tx, ctx, 'claimed', { before, after })
    } else if (before.assignedTo !== userId) throw alreadyAssigned(ctx, before.assignedTo ?? '')
    return viewOf(ctx, id)
  })
}

function alreadyAssigned(ctx: Ctx, userId: string): ConflictError {
  const name = findUser(ctx, userId)?.fullName ?? null
  return new ConflictError(`This conversation is already assigned to ${name ?? 'someone else'}.`, {
    code: 'already_assigned',
    details: { assigned_to: userId, assigned_user_name: name },
  })
}

/**
 * Unassigns a conversation. Throws NotFoundError, and ForbiddenError for a conversation of another
 * member without `transfers:assign`.
 */
export function releaseConversation(ctx: Ctx, id: string): ConversationView {
  return transact(ctx.db, (tx) => {
    const before = getVisibleConversation(ctx, id)
    if (
      before.assignedTo !== null &&
      before.assignedTo !== ctx.actor.userId &&
      !hasPermission(ctx.actor, 'transfers:assign')
    )
      throw new ForbiddenError(
        "Releasing someone else's conversation requires the permission `transfers:assign`.",
        {
          code: 'permission_denied',
        },
      )
    recordConversationIn(tx, ctx, 'released', {
      before,
      after: assignIn(tx, ctx, before, { assignedTo: null }, 'released'),
    })
    return viewOf(ctx, id)
  })
}

/**
 * Assigns a conversation to an active member, to a team, to both or to nobody. Throws NotFoundError
 * and InvalidError (`invalid_input`, `not_a_member`).
 */
export function assignConversation(
  ctx: Ctx,
  id: string,
  requested: NewAssignment,
): ConversationView {
  return transact(ctx.db, (tx) => {
    const before = getVisibleConversation(ctx, id)
    const after = assignIn(tx, ctx, before, assignmentIn(ctx, requested))
    recordConversationIn(tx, ctx, 'assigned', { before, after })
    return viewOf(ctx, id)
  })
}

/**
 * Assigns a contact and its open and snoozed conversations to an active member, to a team, to both
 * or to nobody. Throws NotFoundError for an invisible contact, and InvalidError (`invalid_input`,
 * `not_a_member`).
 */
export function assignContact(
  ctx: Ctx,
  contactId: string,
  requested: NewAssignment,
): AssignmentView {
  return transact(ctx.db, (tx) => {
    const contact = getVisibleContact(ctx, contactId)
    const row = assignWithConversationsIn(tx, ctx, contact, assignmentIn(ctx, requested))
    const changes = differences(
      { assigned_to: contact.assignedTo, team_id: contact.assignedTeamId },
      { assigned_to: row.assignedTo, team_id: row.assignedTeamId },
    )
    if (changes.length > 0)
      recordAudit(tx, ctx, {
        action: 'assigned',
        resourceType: 'contact',
        resourceId: contactId,
        resourceName: null,
        changes,
      })
    return {
      id: row.id,
      assigned_to: row.assignedTo,
      assigned_team_id: row.assignedTeamId,
      updated_at: isoTime(row.updatedAtMs),
    }
  })
}

/**
 * Assigns a contact and its open and snoozed conversations and publishes each. Runs inside the
 * caller's transaction.
 */
function assignWithConversationsIn(
  tx: Tx,
  ctx: Ctx,
  { id: contactId }: ContactRow,
  assignment: Assignment,
): ContactRow {
  const seenBefore = viewersOf(ctx, contactId)
  const open = and(eq(conversations.contactId, contactId), ne(conversations.state, 'closed'))
  const before = tx
    .select()
    .from(conversations)
    .where(inOrganization(ctx, conversations, open))
    .all()
  const { assignedTo, teamId } = assignment
  tx.update(conversations)
    .set({ ...assignment, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, conversations, open))
    .run()
  for (const row of before) {
    const after = { ...row, ...assignment }
    recordTimelineIn(tx, ctx, { before: row, after })
    runHooks(tx, ctx, ConversationAssigned, { before: row, after, how: 'assigned' })
  }
  // The contact comes first, so that the new assignee knows it before its conversations.
  const contact = assignContactIn(
    tx,
    ctx,
    contactId,
    {
      ...(assignedTo === undefined ? {} : { assignedTo }),
      ...(teamId === undefined ? {} : { assignedTeamId: teamId }),
    },
    seenBefore,
  )
  for (const row of before) {
    const changed = [
      ...(assignedTo !== undefined && row.assignedTo !== assignedTo ? ['assigned_to'] : []),
      ...(teamId !== undefined && row.teamId !== teamId ? ['team_id'] : []),
    ]
    if (changed.length > 0) publishConversationIn(tx, ctx, row.id, changed)
  }
  return contact
}

/**
 * Unassigns every conversation of a member and publishes each, in the transaction that ends the
 * membership.
 */
export function unassignConversationsIn(tx: Tx, ctx: Ctx, userId: string): void {
  const unassigned = tx
    .update(conversations)
    .set({ assignedTo: null, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, conversations, eq(conversations.assignedTo, userId)))
    .returning()
    .all()
  for (const after of unassigned) {
    recordTimelineIn(tx, ctx, { before: { ...after, assignedTo: userId }, after })
    publishConversationIn(tx, ctx, after.id, ['assigned_to'])
  }
}
