import { ForbiddenError, InvalidError } from '../../../lib/errors'
import { hasPermission, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { createNoteIn } from '../../inbox/contacts/notes/service'
import { assignIn } from '../../inbox/conversations/assign'
import { recordConversationIn } from '../../inbox/conversations/audit'
import { viewOf } from '../../inbox/conversations/load-views'
import type { ConversationView } from '../../inbox/conversations/model'
import { getClaimableConversation } from '../../inbox/conversations/queries'
import type { ConversationRow } from '../../inbox/conversations/row'
import { findActiveMember } from '../../organization/memberships/find'
import { assignFreelyIn } from './assign'
import { chooseFromTeam } from './choose-agent'
import { createTransferIn } from './create'
import { transferOf } from './find'
import type { NewOwner } from './model'
import { notifyAssignedIn } from './move'
import { alreadyAssigned, requestedTeam } from './references'

/**
 * Gives a conversation to a person, to a team, to the general queue or to nobody, with a note for
 * the new owner. Its transfer goes with it; for a team or the queue, one begins if there is none.
 * Throws NotFoundError, ForbiddenError (`permission_denied` for a conversation of someone else
 * without `transfers:assign`, `pickup_disabled`, `not_in_team`), InvalidError (`invalid_input`,
 * `not_a_member`, `team_inactive`) and ConflictError (`already_assigned`, `at_capacity`).
 */
export function handOver(ctx: Ctx, id: string, wanted: NewOwner): ConversationView {
  return transact(ctx.db, (tx) => {
    const before = getClaimableConversation(ctx, id)
    requireMayHandOver(ctx, before, wanted)
    if (wanted.note != null && wanted.note !== '')
      createNoteIn(tx, ctx, before.contactId, { content: wanted.note })
    if (wanted.to === 'user') giveToUserIn(tx, ctx, before, idOf(wanted))
    else if (wanted.to === 'nobody') releaseIn(tx, ctx, before)
    else giveToQueueIn(tx, ctx, before, wanted.to === 'team' ? idOf(wanted) : null)
    return viewOf(ctx, id)
  })
}

/** Requires that the conversation is the caller's or nobody's, or that they assign for others. */
function requireMayHandOver(ctx: Ctx, { assignedTo }: ConversationRow, wanted: NewOwner): void {
  const { userId } = ctx.actor
  if (hasPermission(ctx.actor, 'transfers:assign')) return
  if (assignedTo === null || assignedTo === userId) return
  if (wanted.to === 'user' && wanted.id === userId) throw alreadyAssigned(ctx, assignedTo)
  throw new ForbiddenError(
    "Handing over someone else's conversation requires the permission `transfers:assign`.",
    { code: 'permission_denied' },
  )
}

function idOf({ id, to }: NewOwner): string {
  if (id != null) return id
  throw new InvalidError(`\`id\` of the ${to} is required.`, {
    code: 'invalid_input',
    errors: [{ path: 'body.id', message: `is required for a ${to}` }],
  })
}

function giveToUserIn(tx: Tx, ctx: Ctx, before: ConversationRow, userId: string): void {
  if (!findActiveMember(ctx, userId))
    throw new InvalidError('`id` must be an active member of this organization.', {
      code: 'not_a_member',
      errors: [{ path: 'body.id', message: 'is not an active member' }],
    })
  const isClaim = before.assignedTo === null && userId === ctx.actor.userId
  const after = assignIn(
    tx,
    ctx,
    before,
    { assignedTo: userId },
    isClaim && !hasPermission(ctx.actor, 'transfers:assign') ? 'claimed' : 'assigned',
  )
  recordConversationIn(tx, ctx, isClaim ? 'claimed' : 'assigned', { before, after })
  // A transfer tells its new agent itself.
  if (!transferOf(ctx, after) && before.assignedTo !== userId)
    notifyAssignedIn(tx, ctx, { userId, conversationId: after.id })
}

function releaseIn(tx: Tx, ctx: Ctx, before: ConversationRow): void {
  const after = assignIn(tx, ctx, before, { assignedTo: null, teamId: null }, 'released')
  recordConversationIn(tx, ctx, 'released', { before, after })
}

/** Lets the conversation wait for a team, which may give it to a member, or in the general queue. */
function giveToQueueIn(tx: Tx, ctx: Ctx, before: ConversationRow, teamId: string | null): void {
  const team = requestedTeam(ctx, teamId)
  const transfer = transferOf(ctx, before)
  if (transfer) {
    const isSameQueue = transfer.teamId === (team?.id ?? null)
    assignFreelyIn(tx, ctx, transfer, {
      team_id: team?.id ?? null,
      ...(isSameQueue || team === null ? { agent_id: null } : {}),
    })
    return
  }
  const self = new Set(ctx.actor.userId === null ? [] : [ctx.actor.userId])
  createTransferIn(tx, ctx, {
    contactId: before.contactId,
    accountId: before.accountId,
    source: ctx.actor.type === 'api_key' ? 'api' : 'manual',
    teamId: team?.id ?? null,
    agentId: team && chooseFromTeam(ctx, team, self),
    isChosen: true,
  })
}
