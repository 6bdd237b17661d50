import { and, eq, gt, inArray, isNotNull, sql, type SQL } from 'drizzle-orm'

import { SECOND_MS } from '../../../lib/clock'
import { BatchSize } from '../../../infra/batch-size'
import {
  readBounded,
  ROWS_PER_READ,
  type Candidates,
  type SortPosition,
} from '../../../infra/bounded-list'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { LAST_UUID, uuidValue } from '../../../infra/db/uuid'
import { inSlices } from '../../../infra/event-loop'
import { ownCandidates, parsedSearchOf } from '../contacts/filters'
import { seesAll } from '../contacts/visibility'
import { WINDOW_MS } from '../contacts/view'
import { CLOSING_MS, contactsFor, fitting, windowFilter, type ConversationFilter } from './filters'
import type { ConversationCounts } from './model'
import type { ConversationRow } from './row'
import { conversationsInOrder, sumOverConversations } from './scan'
import { CONVERSATION_STATES, conversationCounts, conversations } from './table'

/**
 * Returns the condition on the stored counts that equals a filter, or `null` if the counts do not
 * cover it. They are stored by phone number, assignee, team and state.
 */
function countedFor(ctx: Ctx, filter: ConversationFilter): { condition: SQL | undefined } | null {
  const { tags, window, search, contactId, teamId, accountId, assignedTo } = filter
  const uncounted = [tags, window, search, contactId]
  if (!seesAll(ctx.actor) || uncounted.some((value) => value !== undefined)) return null
  const assignee =
    assignedTo === 'none' ? '' : assignedTo === 'me' ? (ctx.actor.userId ?? '-') : assignedTo
  const condition = and(
    accountId === undefined ? undefined : eq(conversationCounts.accountId, accountId),
    assignee === undefined ? undefined : eq(conversationCounts.assignedTo, assignee),
    teamId === undefined ? undefined : eq(conversationCounts.teamId, teamId),
    filter.states === undefined ? undefined : inArray(conversationCounts.state, filter.states),
    filter.unread === true ? gt(conversationCounts.unread, 0) : undefined,
  )
  return { condition }
}

/** Returns the number of conversations that match the filters. */
export async function totalOf(ctx: Ctx, query: ConversationFilter): Promise<number> {
  const counted = countedFor(ctx, query)
  if (counted === null)
    return await countFitting(ctx, fitting(ctx, query, null), ownCandidates(ctx))
  const column =
    query.unread === true ? conversationCounts.unread : conversationCounts.conversations
  return (
    ctx.db.orm
      .select({ rows: sql<number>`coalesce(sum(${column}), 0)` })
      .from(conversationCounts)
      .where(inOrganization(ctx, conversationCounts, counted.condition))
      .get()?.rows ?? 0
  )
}

/** Counts the conversations that match the filters, up to `most`. */
export const countConversationsUpTo = async (
  ctx: Ctx,
  filter: ConversationFilter,
  most: number,
): Promise<number> =>
  countedFor(ctx, filter) === null
    ? (await findConversationIds(ctx, filter, most)).length
    : Math.min(await totalOf(ctx, filter), most)

/** Returns the IDs of the first `most` conversations that match the filters, newest message first. */
export async function findConversationIds(
  ctx: Ctx,
  filter: ConversationFilter,
  most: number,
): Promise<string[]> {
  const found = parsedSearchOf(ctx, filter)
  const { positions } = await readBounded(
    ctx,
    conversationsInOrder(
      ctx,
      {
        column: conversations.lastMessageAtMs,
        order: 'desc',
        states: filter.states ?? CONVERSATION_STATES,
      },
      fitting(ctx, filter, found),
    ),
    {
      ...{ after: null, offset: 0, rows: most },
      candidates: contactsFor(ctx, filter, found),
    },
  )
  return positions.map(({ id }) => id)
}

/**
 * Counts the conversations that match a condition, without the stored counts: of these contacts, or
 * of all.
 */
export const countFitting = async (
  ctx: Ctx,
  filter: SQL,
  candidates: Candidates | null,
): Promise<number> => (await sumOverConversations(ctx, { filter, sums: {}, candidates })).rows

/**
 * Counts the conversations the caller can see by state, phone number and team, and those that are
 * the caller's own, unassigned, unread and about to close. Works in slices of a few milliseconds.
 */
export async function countConversations(
  ctx: Ctx,
  filter: ConversationFilter,
): Promise<ConversationCounts> {
  const known = countedFor(ctx, filter)
  const found = parsedSearchOf(ctx, filter)
  const fits = fitting(ctx, filter, found)
  const candidates = contactsFor(ctx, filter, found)
  const counts =
    known === null
      ? await scanCounts(ctx, fits, candidates)
      : {
          ...sumOfCounts(ctx, known.condition, filter.unread === true),
          closing_window: await countClosing(ctx, fits),
        }
  const sinceMs = await longestWaiting(ctx, fits, candidates)
  return {
    ...counts,
    waiting_longest_seconds:
      sinceMs === null ? null : Math.max(0, Math.floor((ctx.clock.nowMs() - sinceMs) / SECOND_MS)),
  }
}

type Counts = Omit<ConversationCounts, 'waiting_longest_seconds'>

/** Returns a count by state, phone number and team to which groups of conversations are added. */
function tally() {
  const by_state = { open: 0, pending: 0, snoozed: 0, closed: 0 }
  const [by_account, by_team] = [{}, {}] as [Record<string, number>, Record<string, number>]
  const add = (
    group: { state: ConversationRow['state']; accountId: string; teamId: string | null },
    rows: number,
  ): void => {
    if (rows === 0) return
    by_state[group.state] += rows
    by_account[group.accountId] = (by_account[group.accountId] ?? 0) + rows
    if (group.teamId !== null && group.teamId !== '')
      by_team[group.teamId] = (by_team[group.teamId] ?? 0) + rows
  }
  return { add, counts: () => ({ ...by_state, by_state, by_account, by_team }) }
}

/** Counts conversations by reading them: of these contacts, or of all. */
async function scanCounts(ctx: Ctx, filter: SQL, candidates: Candidates | null): Promise<Counts> {
  const { add, counts } = tally()
  const { state, accountId, teamId } = conversations
  const sums = {
    mine: sql`(${conversations.assignedTo} is ${uuidValue(ctx.actor.userId)})`,
    unassigned: sql`(${conversations.assignedTo} is null)`,
    unread: sql`(${conversations.unreadCount} > 0)`,
    closing_window: sql`coalesce((${windowFilter(ctx, 'closing')}), 0)`,
  }
  const { rows: _rows, ...found } = await sumOverConversations(ctx, {
    sums,
    filter,
    candidates,
    groups: {
      columns: { state, accountId, teamId },
      add: (group, rows) => add(group as Parameters<typeof add>[0], rows), // the columns above
    },
  })
  return { ...counts(), ...found }
}

/** Adds up the stored counts. */
function sumOfCounts(
  ctx: Ctx,
  known: SQL | undefined,
  isUnread: boolean,
): Omit<Counts, 'closing_window'> {
  const { accountId, teamId, state, assignedTo, unread } = conversationCounts
  const rows = isUnread ? unread : conversationCounts.conversations
  const sumIf = (condition: SQL): SQL<number> =>
    sql<number>`sum(case when ${condition} then ${rows} else 0 end)`
  const groups = ctx.db.orm
    .select({
      ...{ accountId, teamId, state },
      rows: sql<number>`sum(${rows})`,
      mine: sumIf(eq(assignedTo, ctx.actor.userId ?? '-')),
      unassigned: sumIf(eq(assignedTo, '')),
      unread: sql<number>`sum(${unread})`,
    })
    .from(conversationCounts)
    .where(inOrganization(ctx, conversationCounts, known))
    .groupBy(accountId, teamId, state)
    .all()
  const { add, counts } = tally()
  for (const group of groups) add(group, group.rows)
  const total = (name: 'mine' | 'unassigned' | 'unread'): number =>
    groups.reduce((sum, group) => sum + group[name], 0)
  return {
    ...counts(),
    mine: total('mine'),
    unassigned: total('unassigned'),
    unread: total('unread'),
  }
}

/** Counts the matching conversations whose window is about to close, along its index. */
async function countClosing(ctx: Ctx, filter: SQL): Promise<number> {
  const fits = and(filter, windowFilter(ctx, 'closing')) ?? filter
  const list = conversationsInOrder(
    ctx,
    { column: conversations.lastInboundAtMs, order: 'asc', states: null, isDated: true },
    fits,
  )
  const closedAtMs = ctx.clock.nowMs() - WINDOW_MS
  const pace = new BatchSize(ROWS_PER_READ)
  let [closing, after]: [number, SortPosition] = [0, { value: closedAtMs, id: LAST_UUID }]
  await inSlices(ctx, () => {
    const { rows, limit } = pace.part((most) => ({ rows: list.walk(after, most), limit: most }))
    closing += rows.filter((row) => row.fits === 1).length
    after = rows.at(-1) ?? after
    return rows.length < limit || Number(after.value) >= closedAtMs + CLOSING_MS
  })
  return closing
}

/** Returns since when the customer waits who waits longest, epoch milliseconds, or `null`. */
async function longestWaiting(
  ctx: Ctx,
  filter: SQL,
  candidates: Candidates | null,
): Promise<number | null> {
  const states = CONVERSATION_STATES.filter((state) => state !== 'closed')
  const column = conversations.unansweredSinceMs
  const list = conversationsInOrder(
    ctx,
    { column, order: 'asc', states, isDated: true },
    and(filter, isNotNull(column), inArray(conversations.state, states)) ?? filter,
  )
  const { positions } = await readBounded(ctx, list, {
    after: null,
    offset: 0,
    rows: 1,
    candidates,
  })
  const since = positions[0]?.value ?? null
  return since === null ? null : Number(since)
}
