import { ConflictError, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { runHooks } from '../../../infra/transaction-hooks'
import { findContact } from '../../inbox/contacts/service'
import { getVisibleContact } from '../../inbox/contacts/sight/visibility'
import { accountFor } from '../../inbox/conversations/change-state'
import { findOrOpenConversationIn } from '../../inbox/conversations/service'
import { changeConversationIn } from '../../inbox/conversations/update'
import { findTeam, type TeamRow } from '../../inbox/teams/find'
import { recordTransferIn } from './audit'
import { changeSightIn, publishTransferIn } from './change'
import { chooseAgent } from './choose-agent'
import { agentDeadline, silenceClocks, silentSinceMs, slaDeadlines } from './clocks'
import { endTransferIn } from './end'
import { TransferStarted } from './events'
import { findActiveTransfer, holdsBot } from './find'
import { transferViewOf } from './load-views'
import type { NewTransfer, TransferAnswer } from './model'
import { assignedIn } from './move'
import { requestedTeam, requireAvailable, requireRoom } from './references'
import { joinedNotes, nextDueAtMs, sortKeyOf, type TransferRow } from './rules'
import { transfers } from './table'

/** A transfer to create. */
export interface TransferInput {
  contactId: string
  accountId: string
  source: TransferRow['source']
  /** The team in whose queue it waits; without one, or for a deleted one, the general queue. */
  teamId?: string | null
  /** The person who gets it. Without one, somebody is chosen. The caller checks availability. */
  agentId?: string | null
  /** Whether `agentId` was decided: with `null`, nobody is chosen and the transfer waits. */
  isChosen?: boolean
  notes?: string | null
  priority?: number
}

/**
 * Transfers a contact to a person or a queue: opens its conversation, ends the session of the bot
 * and publishes everything. A contact that has an active transfer keeps it (`isNew` is `false`), but
 * the bot hands over what only waits because nobody answered it, which keeps its place in the queue
 * and its deadlines. Runs inside the caller's transaction.
 *
 * @public
 */
export function createTransferIn(
  tx: Tx,
  ctx: Ctx,
  input: TransferInput,
): { transfer: TransferRow; isNew: boolean } {
  const known = findActiveTransfer(ctx, input.contactId)
  if (known && (holdsBot(known) || !OF_BOT.has(input.source)))
    return { transfer: known, isNew: false }
  const waited =
    known && endTransferIn(tx, ctx, known, { status: 'resumed', reason: 'handed_over' })
  const named = input.teamId == null ? null : findTeam(ctx, input.teamId)
  const team = named?.isActive === true ? named : null
  const contact = findContact(ctx, input.contactId)
  const decided = input.agentId ?? null
  const isDecided = decided !== null || input.isChosen === true
  const ownerId = contact?.assignedTo ?? null
  const agentId = isDecided ? decided : chooseAgent(ctx, { team, ownerId })
  const transfer = changeSightIn(tx, ctx, input.contactId, () =>
    insertIn(tx, ctx, input, { team, agentId, waited }),
  )
  publishTransferIn(tx, ctx, transfer, {
    kind: 'created',
    changed: [],
    details: { source: transfer.source },
  })
  recordTransferIn(tx, ctx, 'created', { before: null, after: transfer })
  if (agentId !== null) assignedIn(tx, ctx, transfer, agentId)
  if (holdsBot(transfer)) runHooks(tx, ctx, TransferStarted, { transfer })
  return { transfer, isNew: true }
}

/** Causes that are the bot's. */
const OF_BOT: ReadonlySet<TransferRow['source']> = new Set([
  'flow',
  'keyword',
  'ai',
  'fallback',
  'chatbot_disabled',
])

/** Who gets a transfer, and the one in which the customer has waited until now. */
interface Place {
  team: TeamRow | null
  agentId: string | null
  waited: TransferRow | null
}

/** Inserts a transfer and opens its conversation for the same person and team. */
function insertIn(
  tx: Tx,
  ctx: Ctx,
  input: TransferInput,
  { team, agentId, waited }: Place,
): TransferRow {
  const { contactId, accountId } = input
  const teamId = team?.id ?? null
  const conversation = findOrOpenConversationIn(tx, ctx, { contactId, accountId, assignedTo: null })
  const nowMs = ctx.clock.nowMs()
  const transferredAtMs = waited?.transferredAtMs ?? nowMs
  const base = { accountId, agentId, transferredAtMs, remindedAtMs: null }
  const row = {
    ...NEW_TRANSFER,
    ...base,
    organizationId: ctx.organizationId,
    id: ctx.ids.next(),
    contactId,
    source: input.source,
    priority: input.priority ?? waited?.priority ?? 0,
    teamId,
    transferredBy: ctx.actor.userId,
    notes: joinedNotes(waited?.notes ?? null, input.notes ?? null),
    pickedUpAtMs: agentId === null ? null : nowMs,
    ...(waited ? deadlinesOf(waited) : slaDeadlines(ctx, accountId)),
    ...silenceClocks(ctx, base, silentSinceMs(conversation)),
    agentDueAtMs: agentId === null ? null : agentDeadline(ctx, team),
  }
  const inserted = { ...row, dueAtMs: nextDueAtMs(row), sortKey: sortKeyOf(row) }
  tx.insert(transfers).values(inserted).run()
  changeConversationIn(
    tx,
    ctx,
    conversation,
    { state: 'open', assignedTo: agentId, teamId, closedAtMs: null, snoozedUntilMs: null },
    { isOwnerTold: true },
  )
  return inserted
}

/** What has become of the deadlines of a transfer, which go on in the next one. */
const deadlinesOf = (row: TransferRow): Partial<TransferRow> & ReturnType<typeof slaDeadlines> => ({
  responseDueAtMs: row.responseDueAtMs,
  resolutionDueAtMs: row.resolutionDueAtMs,
  breachedAtMs: row.breachedAtMs,
  escalationLevel: row.escalationLevel,
  escalatedAtMs: row.escalatedAtMs,
  escalationDueAtMs: row.escalationDueAtMs,
  countsOpenTime: row.countsOpenTime,
})

/** What is the same in every new transfer. */
const NEW_TRANSFER = {
  status: 'active',
  firstResponseAtMs: null,
  endedAtMs: null,
  endedBy: null,
  endReason: null,
  breachedAtMs: null,
  escalationLevel: 0,
  escalatedAtMs: null,
  passedOver: '[]',
  pausedAtMs: null,
} as const satisfies Partial<TransferRow>

/**
 * Transfers a contact on request. Throws NotFoundError for an invisible contact, InvalidError
 * (`contact_blocked`, `invalid_input`, `account_required`, `account_inactive`, `team_inactive`, `not_a_member`,
 * `agent_unavailable`, `agent_at_capacity`) and ConflictError `transfer_active`.
 */
export function createTransfer(ctx: Ctx, input: NewTransfer): TransferAnswer {
  return transact(ctx.db, (tx) => {
    const contact = getVisibleContact(ctx, input.contact_id)
    if (contact.blockedAtMs !== null)
      throw new InvalidError('This contact is blocked. Unblock it before you transfer it.', {
        code: 'contact_blocked',
      })
    const account = accountFor(ctx, contact, input.account_id ?? undefined)
    const team = requestedTeam(ctx, input.team_id ?? null)
    const agentId = input.agent_id ?? null
    if (agentId !== null) {
      requireAvailable(ctx, agentId)
      requireRoom(ctx, agentId, team)
    }
    const { transfer, isNew } = createTransferIn(tx, ctx, {
      contactId: contact.id,
      accountId: account.id,
      source: ctx.actor.type === 'api_key' ? 'api' : 'manual',
      teamId: team?.id ?? null,
      agentId,
      notes: input.notes ?? null,
      priority: input.priority ?? 0,
    })
    if (!isNew)
      throw new ConflictError('This contact already has an active transfer.', {
        code: 'transfer_active',
        details: { transfer_id: transfer.id },
      })
    return {
      transfer: transferViewOf(ctx, transfer.id),
      message: 'The contact was transferred.',
    }
  })
}
