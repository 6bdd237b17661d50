import { and, eq, inArray, max, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { calls } from '../../channel/calls/table'
import { messages } from '../messages/table'
import { findActiveMember } from '../../organization/memberships/find'
import { findTeam } from '../teams/find'
import { changeConversationIn } from './update'
import { findConversationById, messagesOf, type ConversationRow } from './row'
import { conversations } from './table'
import type { ThreadFact } from './rules'
import { addOwnFactsIn, deleteFactsIn, insertFactIn, threadFactsIn } from './thread-facts'
import { updateOwnerIn } from './thread-owner'
import { conversationsOf } from './unread'
import { callsOf, recountConversationIn } from './recount'
import { updateClosedWindowIn } from './window'

/** The effects of a merge of contacts on the source's conversations. */
export interface ConversationPlan {
  /** Conversations with phone numbers the target has no conversation with. They move unchanged. */
  moved: ConversationRow[]
  /** Conversations to join with the target's conversation with the same phone number. */
  joined: { from: ConversationRow; into: ConversationRow }[]
}

/** The owners of two threads before they were joined, to split them again. */
export interface ThreadUndo {
  /** Facts of the thread that was joined with the other one. */
  facts: ThreadFact[]
  /** Facts that the other one got by that. */
  added: ThreadFact[]
  /** Its owner, for a thread without facts of its own. */
  owner: Pick<ConversationRow, 'threadOwner' | 'ownerSinceMs' | 'ownerRole'>
}

/** Plans what a merge does to the conversations of the source. */
export function planConversationsIn(
  tx: Tx,
  ctx: Ctx,
  merge: { sourceId: string; targetId: string },
): ConversationPlan {
  const own = new Map(
    conversationsOf(tx, ctx, { contactId: merge.targetId }).map((row) => [row.accountId, row]),
  )
  const plan: ConversationPlan = { moved: [], joined: [] }
  for (const from of conversationsOf(tx, ctx, { contactId: merge.sourceId })) {
    const into = own.get(from.accountId)
    if (into) plan.joined.push({ from, into })
    else plan.moved.push(from)
  }
  return plan
}

/** Moves a conversation to another contact. Runs inside the caller's transaction. */
export function moveConversationIn(tx: Tx, ctx: Ctx, id: string, contactId: string): void {
  tx.update(conversations)
    .set({ contactId, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, conversations, eq(conversations.id, id)))
    .run()
}

const EAGER = ['open', 'pending', 'snoozed', 'closed'] as const

const later = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b)
const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b)

/**
 * Joins two conversations after the messages have moved; the first one is deleted. The second one
 * keeps its assignee, and the more urgent of the two states counts. Runs inside the caller's
 * transaction. Returns what splits the threads again.
 */
export function joinConversationsIn(
  tx: Tx,
  ctx: Ctx,
  { from, into }: ConversationPlan['joined'][number],
): ThreadUndo {
  const facts = threadFactsIn(tx, ctx, from.id)
  const own = new Set(threadFactsIn(tx, ctx, into.id).map(keyOf))
  deleteFactsIn(tx, ctx, from.id, facts)
  for (const fact of facts) insertFactIn(tx, ctx, into.id, fact)
  tx.delete(conversations)
    .where(inOrganization(ctx, conversations, eq(conversations.id, from.id)))
    .run()
  const state = EAGER.find((each) => each === from.state || each === into.state) ?? into.state
  const leading = state === into.state ? into : from
  const [first = null] = [into.firstReferral, from.firstReferral]
    .filter((kept) => kept !== null)
    .toSorted(byTime)
  const last = [into.lastReferral, from.lastReferral]
    .filter((kept) => kept !== null)
    .toSorted(byTime)
  const joined = changeConversationIn(tx, ctx, into, {
    state,
    snoozedUntilMs: leading.snoozedUntilMs,
    closedAtMs: leading.closedAtMs,
    assignedTo: into.assignedTo ?? from.assignedTo,
    teamId: into.teamId ?? from.teamId,
    lastInboundAtMs: later(into.lastInboundAtMs, from.lastInboundAtMs),
    windowClosedAtMs: later(into.windowClosedAtMs, from.windowClosedAtMs),
    lastAnsweredAtMs: later(into.lastAnsweredAtMs, from.lastAnsweredAtMs),
    firstResponseAtMs: earlier(into.firstResponseAtMs, from.firstResponseAtMs),
    firstReferral: first,
    lastReferral: last.at(-1) ?? null,
    freeEntryUntilMs: later(into.freeEntryUntilMs, from.freeEntryUntilMs),
    createdAtMs: Math.min(into.createdAtMs, from.createdAtMs),
  })
  joinThreadsIn(tx, ctx, { from, joined })
  recountConversationIn(tx, ctx, joined)
  const { threadOwner, ownerSinceMs, ownerRole } = into
  const added = threadFactsIn(tx, ctx, into.id).filter((fact) => !own.has(keyOf(fact)))
  return { facts, added, owner: { threadOwner, ownerSinceMs, ownerRole } }
}

const keyOf = ({ kind, atMs }: ThreadFact): string => `${kind} ${atMs}`

/**
 * Gives each of two split conversations its own facts and owner back, in the caller's transaction.
 * Later facts stay with the conversation that remained.
 */
export function splitThreadsIn(
  tx: Tx,
  ctx: Ctx,
  { from, into, thread }: { from: string; into: string; thread: ThreadUndo },
): void {
  for (const fact of thread.facts) insertFactIn(tx, ctx, from, fact)
  deleteFactsIn(tx, ctx, into, thread.added)
  const row = findConversationById(ctx, into)
  if (!row) return
  const hasFacts = threadFactsIn(tx, ctx, into).length > 0
  updateOwnerIn(tx, ctx, hasFacts ? row : changeConversationIn(tx, ctx, row, thread.owner), true)
}

/** Derives the owner of a joined thread from the facts of both. */
function joinThreadsIn(
  tx: Tx,
  ctx: Ctx,
  { from, joined }: { from: ConversationRow; joined: ConversationRow },
): void {
  if (from.ownerSinceMs === null && joined.ownerSinceMs === null) {
    if (from.threadOwner === 'us' && joined.threadOwner !== 'us')
      changeConversationIn(tx, ctx, joined, { threadOwner: 'us' })
    return
  }
  addOwnFactsIn(tx, ctx, joined)
  updateOwnerIn(tx, ctx, joined, true)
}

const byTime = (a: string, b: string): number =>
  (JSON.parse(a) as { at_ms: number }).at_ms - (JSON.parse(b) as { at_ms: number }).at_ms

/**
 * Restores a joined conversation before its messages move back. It becomes unassigned if its
 * assignee has left or its team was deleted in the meantime. Runs inside the caller's transaction.
 */
export function restoreConversationIn(tx: Tx, ctx: Ctx, row: ConversationRow): void {
  const assignedTo =
    row.assignedTo !== null && findActiveMember(ctx, row.assignedTo) ? row.assignedTo : null
  const teamId = row.teamId !== null && findTeam(ctx, row.teamId) ? row.teamId : null
  tx.insert(conversations)
    .values({ ...row, organizationId: ctx.organizationId, assignedTo, teamId, lastMessageId: null })
    .onConflictDoNothing()
    .run()
}

/**
 * Recomputes both halves of a split conversation after the messages have moved back. Runs inside
 * the caller's transaction.
 */
export function recountSplitIn(tx: Tx, ctx: Ctx, ids: string[]): void {
  for (const row of ids
    .map((id) => findConversationById(ctx, id))
    .filter((found) => found !== null)) {
    const byCustomer = and(
      messagesOf(row),
      eq(messages.direction, 'incoming'),
      sql`${messages.type} <> 'system'`,
      sql`json_extract(${messages.context}, '$.group_id') is null`,
    )
    const newest = tx
      .select({ atMs: sql<number | null>`max(${messages.timestampMs})` })
      .from(messages)
      .where(inOrganization(ctx, messages, byCustomer))
      .get()
    const lastInboundAtMs = later(newest?.atMs ?? null, newestIncomingCall(tx, ctx, row))
    recountConversationIn(tx, ctx, changeConversationIn(tx, ctx, row, { lastInboundAtMs }))
    updateClosedWindowIn(tx, ctx, row.id)
  }
}

/** Returns when the customer last called in a conversation, or `null`. */
const newestIncomingCall = (tx: Tx, ctx: Ctx, row: ConversationRow): number | null =>
  tx
    .select({ atMs: max(calls.connectAtMs) })
    .from(calls)
    .where(inOrganization(ctx, calls, callsOf(row), eq(calls.direction, 'incoming')))
    .get()?.atMs ?? null

/**
 * Deletes every conversation of a contact after its messages, in the transaction that erases it.
 */
export function eraseConversationsIn(tx: Tx, ctx: Ctx, contactId: string): number {
  return tx
    .delete(conversations)
    .where(inOrganization(ctx, conversations, eq(conversations.contactId, contactId)))
    .returning({ id: conversations.id })
    .all().length
}

/** Clears references to deleted last messages. Runs inside the caller's transaction. */
export function clearLastMessagesIn(tx: Tx, ctx: Ctx, messageIds: string[]): void {
  if (messageIds.length === 0) return
  tx.update(conversations)
    .set({ lastMessageId: null })
    .where(inOrganization(ctx, conversations, inArray(conversations.lastMessageId, messageIds)))
    .run()
}
