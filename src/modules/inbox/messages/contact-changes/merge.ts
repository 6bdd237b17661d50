import { ConflictError, InvalidError, NotFoundError } from '../../../../lib/errors'
import { DAY_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { withDeferredReferences } from '../../../../infra/db/defer-references'
import { rekeyJobsIn } from '../../../../infra/jobs/waiting-jobs'
import { runHooks } from '../../../../infra/transaction-hooks'
import { emit, moveEventsIn } from '../../../../infra/outbox/events'
import { moveCallsIn } from '../../../channel/calls/contact-changes'
import { ContactChanged, ContactCreated, ContactDeleted } from '../../contacts/events'
import { fieldNames } from '../../contacts/field-names'
import { mergeContactIn, type MergeUndo } from '../../contacts/merge/merge'
import { findContact } from '../../contacts/service'
import type { ContactRow } from '../../contacts/view'
import { viewersOf } from '../../contacts/sight/visibility'
import { publishConversationIn } from '../../conversations/update'
import { findConversationById, type ConversationRow } from '../../conversations/row'
import {
  joinConversationsIn,
  moveConversationIn,
  planConversationsIn,
  recountSplitIn,
  restoreConversationIn,
  splitThreadsIn,
  type ThreadUndo,
} from '../../conversations/merge'
import { moveTimelineIn, separateTimelineIn } from '../../conversations/timeline/contact-changes'
import { moveNotesIn } from '../../contacts/notes/contact-changes'
import { ContactsMerged, ContactsSeparated } from '../events'
import { RescopeWords } from '../jobs'
import {
  moveAllMessagesIn,
  moveMessagesIn,
  moveIntoConversationIn,
  takeOutOfConversationIn,
} from './move'
import { sendKey } from '../rules'
import { findMessageIn } from '../outbound/delivery-state'
import { closeMergeIn, findMerge, recordMergeIn } from '../../contacts/merge/merges'
import { recomputeContactIn } from '../../contacts/activity/recompute'
import { splitContactIn } from '../../contacts/merge/undo-merge'

/** How long a merge can be undone. */
const UNDO_WITHIN_MS = 30 * DAY_MS

/** Data needed to undo a merge. */
interface Undo {
  contact: MergeUndo
  notes: string[]
  calls: string[]
  /** Conversations that moved unchanged. */
  moved: string[]
  /** Conversations that were joined with another one, with their former row and messages. */
  joined: { row: ConversationRow; into: string; messageIds: string[]; thread: ThreadUndo }[]
}

/**
 * Merges a contact into another, in the caller's transaction. Conversations, messages, notes, tags,
 * consents and IDs go to the target, which keeps its name; conversations with the same phone number
 * are joined. Publishes both changes. `isOnePerson`: the platform reported it. Returns the ID of
 * the merge, for undo. Throws InvalidError if both are the same contact, and NotFoundError if one
 * is deleted.
 */
export function mergeContactsIn(
  tx: Tx,
  ctx: Ctx,
  merge: { targetId: string; sourceId: string; isOnePerson?: boolean },
): string {
  const { targetId, sourceId, isOnePerson = false } = merge
  const [source, target] = [liveContact(ctx, sourceId), liveContact(ctx, targetId)]
  if (sourceId === targetId)
    throw new InvalidError('`source_id` must not be the contact in the path.', {
      code: 'invalid_input',
      errors: [{ path: 'body.source_id', message: 'must not be the contact in the path' }],
    })
  const seenBy = viewersOf(ctx, sourceId)
  const plan = planConversationsIn(tx, ctx, merge)
  const pairs = plan.joined.map(({ from, into }) => ({
    row: from,
    into: into.id,
    messageIds: moveIntoConversationIn(tx, ctx, { from, to: into }),
  }))
  const calls = moveCallsIn(tx, ctx, { from: sourceId, to: targetId })
  const threads = plan.joined.map((pair) => joinConversationsIn(tx, ctx, pair))
  const joined = pairs.flatMap((pair, nth) => {
    const thread = threads[nth]
    return thread === undefined ? [] : [{ ...pair, thread }]
  })
  withDeferredReferences(tx, () => {
    for (const { id } of plan.moved) moveConversationIn(tx, ctx, id, targetId)
    moveAllMessagesIn(tx, ctx, { from: sourceId, to: targetId })
  })
  moveTimelineIn(tx, ctx, { from: sourceId, to: targetId })
  const notes = moveNotesIn(tx, ctx, { from: sourceId, to: targetId })
  const contact = mergeContactIn(tx, ctx, { source, target, isOnePerson })
  recomputeContactIn(tx, ctx, targetId)
  const moved = plan.moved.map(({ id }) => id)
  const undo: Undo = { contact, notes, calls, moved, joined }
  const id = recordMergeIn(tx, ctx, { targetId, sourceId, undo })
  reindexIn(tx, ctx, { from: sourceId, to: targetId })
  runHooks(tx, ctx, ContactsMerged, { from: sourceId, to: targetId })
  moveEventsIn(tx, ctx, { from: sourceId, to: targetId })
  emit(tx, ctx, ContactDeleted, {
    contactId: sourceId,
    payload: { contactId: sourceId, reason: 'merged', mergedInto: targetId, seenBy },
  })
  const changed = fieldNames([
    ...contact.fields.map(([column]) => column),
    ...(contact.tags.length > 0 ? ['tags'] : []),
  ])
  publishChangeIn(tx, ctx, targetId, changed)
  for (const conversationId of moved) publishConversationIn(tx, ctx, conversationId, ['contact_id'])
  return id
}

const publishChangeIn = (
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  changed: string[],
  lostBy: string[] = [],
): void => emit(tx, ctx, ContactChanged, { contactId, payload: { contactId, changed, lostBy } })

/** Updates the search index and the ordering keys of send jobs after messages moved. */
function reindexIn(tx: Tx, ctx: Ctx, move: { from: string; to: string }): void {
  enqueue(tx, ctx, RescopeWords, { args: { contactId: move.from, after: 0 } })
  rekeyJobsIn(tx, ctx, { from: sendKey(move.from), to: sendKey(move.to) })
}

/** Whether a job is about a message of the contact. */
const isMessageOf = (tx: Tx, ctx: Ctx, contactId: string, args: unknown): boolean =>
  findMessageIn(tx, ctx, String((args as { messageId?: unknown }).messageId))?.contactId ===
  contactId

function liveContact(ctx: Ctx, id: string): ContactRow {
  const row = findContact(ctx, id)
  if (!row || row.deletedAtMs !== null) throw new NotFoundError('Contact')
  return row
}

/**
 * Undoes a merge, in the caller's transaction: each contact gets back its own rows, and later
 * changes stay with the target. Publishes both. Returns the target and the source. Throws
 * NotFoundError for an unknown merge or deleted contact, and ConflictError `already_undone` or,
 * after 30 days, `too_late`.
 */
export function undoMergeIn(tx: Tx, ctx: Ctx, mergeId: string): [ContactRow, ContactRow] {
  const merge = findMerge(ctx, mergeId)
  if (!merge) throw new NotFoundError('Merge')
  const target = liveContact(ctx, merge.targetId)
  const source = findContact(ctx, merge.sourceId)
  if (merge.undoneAtMs !== null || !source)
    throw new ConflictError('This merge has already been undone.', { code: 'already_undone' })
  if (ctx.clock.nowMs() - merge.mergedAtMs > UNDO_WITHIN_MS)
    throw new ConflictError('A merge can only be undone within 30 days.', { code: 'too_late' })
  const undo = JSON.parse(merge.undo) as Undo
  const seenBefore = viewersOf(ctx, target.id)
  const holders = new Set([target.id])
  for (const { row, into, messageIds, thread } of undo.joined) {
    restoreConversationIn(tx, ctx, row)
    // Another contact has it if that one was undone first whose merge brought it.
    const joined = findConversationById(ctx, into)
    if (joined)
      takeOutOfConversationIn(tx, ctx, {
        from: joined,
        to: { id: row.id, contactId: source.id },
        ids: messageIds,
      })
    if (joined) holders.add(joined.contactId)
    splitThreadsIn(tx, ctx, { from: row.id, into, thread })
  }
  const back = [...undo.moved, ...undo.joined.map(({ row }) => row.id)]
  withDeferredReferences(tx, () => {
    for (const id of undo.moved) moveConversationIn(tx, ctx, id, source.id)
    for (const from of holders)
      moveMessagesIn(tx, ctx, { from, to: source.id, conversationIds: back })
  })
  for (const from of holders)
    rekeyJobsIn(tx, ctx, {
      from: sendKey(from),
      to: sendKey(source.id),
      isMeant: (args) => isMessageOf(tx, ctx, source.id, args),
    })
  separateTimelineIn(tx, ctx, { from: target.id, to: source.id })
  moveNotesIn(tx, ctx, { from: target.id, to: source.id, ids: undo.notes })
  moveCallsIn(tx, ctx, { from: target.id, to: source.id, ids: undo.calls })
  runHooks(tx, ctx, ContactsSeparated, { from: target.id, to: source.id })
  splitContactIn(tx, ctx, source, target, undo.contact)
  recountSplitIn(tx, ctx, [...undo.joined.flatMap(({ row, into }) => [row.id, into])])
  const rows: [ContactRow, ContactRow] = [
    recomputeContactIn(tx, ctx, target.id),
    recomputeContactIn(tx, ctx, source.id),
  ]
  for (const id of holders) if (id !== target.id) recomputeContactIn(tx, ctx, id)
  for (const contactId of holders) enqueue(tx, ctx, RescopeWords, { args: { contactId, after: 0 } })
  closeMergeIn(tx, ctx, mergeId)
  emit(tx, ctx, ContactCreated, { contactId: source.id, payload: { contactId: source.id } })
  const seenAfter = viewersOf(ctx, target.id)
  publishChangeIn(
    tx,
    ctx,
    target.id,
    fieldNames(undo.contact.fields.map(([column]) => column)),
    seenBefore.filter((id) => !seenAfter.includes(id)),
  )
  for (const conversationId of back) publishConversationIn(tx, ctx, conversationId, ['contact_id'])
  return rows
}
