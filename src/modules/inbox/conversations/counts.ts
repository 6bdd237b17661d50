import { and, eq, gt, inArray, sql, type SQL } from 'drizzle-orm'

import { inOrganization } from '../../../infra/ctx'
import { LAST_UUID, NIL_UUID } from '../../../infra/db/uuid'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { searchOf } from '../contacts/list/filters'
import { seesAll } from '../contacts/sight/visibility'
import { contactsFor, fitting, windowFilter, type ConversationFilter } from './filters'
import type { ConversationCounts } from './model'
import type { ConversationRow } from './row'
import { conversationCounts, conversations } from './table'

/**
 * Returns the condition on the stored counts that equals a filter, or `null` if the counts do not
 * cover it. They are stored by phone number, assignee, team and state.
 */
function countedFor(
  ctx: ReadCtx,
  filter: ConversationFilter,
): { condition: SQL | undefined } | null {
  const { tags, window, search, contactId, teamId, accountId, assignedTo } = filter
  const uncounted = [tags, window, search, contactId]
  if (!seesAll(ctx.actor) || uncounted.some((value) => value !== undefined)) return null
  const assignee =
    assignedTo === 'none'
      ? NIL_UUID
      : assignedTo === 'me'
        ? (ctx.actor.userId ?? LAST_UUID)
        : assignedTo
  const condition = and(
    accountId === undefined ? undefined : eq(conversationCounts.accountId, accountId),
    assignee === undefined ? undefined : eq(conversationCounts.assignedTo, assignee),
    teamId === undefined ? undefined : eq(conversationCounts.teamId, teamId),
    filter.states === undefined ? undefined : inArray(conversationCounts.state, filter.states),
    filter.unread === true ? gt(conversationCounts.unread, 0) : undefined,
  )
  return { condition }
}

/** Returns the number of matching conversations from the stored counts, or `null`. */
export function storedTotal(ctx: ReadCtx, query: ConversationFilter): number | null {
  const counted = countedFor(ctx, query)
  if (counted === null) return null
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

/**
 * Counts the conversations the caller can see by state, phone number and team, and those that are
 * the caller's own, unassigned, unread and about to close.
 */
export function countConversations(ctx: ReadCtx, filter: ConversationFilter): Counts {
  const known = countedFor(ctx, filter)
  const search = searchOf(ctx, filter)
  const source = contactsFor(ctx, filter, search)
  const isAmong = source ? sql`${source.column} in (${source.ids})` : undefined
  const fits = inOrganization(ctx, conversations, isAmong, fitting(ctx, filter, search))
  if (known === null) return readCounts(ctx, fits)
  return {
    ...sumOfCounts(ctx, known.condition, filter.unread === true),
    closing_window: countClosing(ctx, fits),
  }
}

/** The counts, without the longest time of waiting. */
export type Counts = Omit<ConversationCounts, 'waiting_longest_seconds'>

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
    if (group.teamId !== null && group.teamId !== NIL_UUID)
      by_team[group.teamId] = (by_team[group.teamId] ?? 0) + rows
  }
  return { add, counts: () => ({ ...by_state, by_state, by_account, by_team }) }
}

/** Counts conversations by reading them. */
function readCounts(ctx: ReadCtx, fits: SQL): Counts {
  const { accountId, teamId, state, assignedTo, unreadCount } = conversations
  const sumOf = (condition: SQL): SQL<number> => sql<number>`coalesce(sum(${condition}), 0)`
  const groups = ctx.db.orm
    .select({
      ...{ accountId, teamId, state },
      rows: sql<number>`count(*)`,
      mine: sumOf(sql`(${assignedTo} is ${sql.param(ctx.actor.userId, assignedTo)})`),
      unassigned: sumOf(sql`(${assignedTo} is null)`),
      unread: sumOf(sql`(${unreadCount} > 0)`),
      closing_window: sumOf(sql`coalesce((${windowFilter(ctx, 'closing')}), 0)`),
    })
    .from(conversations)
    .where(fits)
    .groupBy(accountId, teamId, state)
    .all()
  const { add, counts } = tally()
  for (const group of groups) add(group, group.rows)
  const total = (name: 'mine' | 'unassigned' | 'unread' | 'closing_window'): number =>
    groups.reduce((sum, group) => sum + group[name], 0)
  return {
    ...counts(),
    mine: total('mine'),
    unassigned: total('unassigned'),
    unread: total('unread'),
    closing_window: total('closing_window'),
  }
}

/** Adds up the stored counts. */
function sumOfCounts(
  ctx: ReadCtx,
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
      mine: sumIf(eq(assignedTo, ctx.actor.userId ?? LAST_UUID)),
      unassigned: sumIf(eq(assignedTo, NIL_UUID)),
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
function countClosing(ctx: ReadCtx, fits: SQL): number {
  const isClosing = windowFilter(ctx, 'closing')
  return (
    ctx.db.orm
      .select({ rows: sql<number>`count(*)` })
      .from(conversations)
      .where(and(inOrganization(ctx, conversations, isClosing), sql`coalesce((${fits}), 0)`))
      .get()?.rows ?? 0
  )
}
