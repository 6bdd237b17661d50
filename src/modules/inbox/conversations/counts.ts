import { and, eq, gt, gte, inArray, sql, type SQL } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { localDateOf, localDayOf } from '../../../lib/local-day'
import { inOrganization } from '../../../infra/ctx'
import { LAST_UUID, NIL_UUID } from '../../../infra/db/uuid'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { getOrganization } from '../../organization/organizations/service'
import { searchOf } from '../contacts/list/filters'
import { seesAll } from '../contacts/sight/visibility'
import { contactsFor, fitting, windowFilter, type ConversationFilter } from './filters'
import type { ConversationCounts } from './model'
import type { ConversationRow } from './row'
import { conversationCounts, conversations } from './table'

/** By what the stored counts are kept. */
type Counted = 'states' | 'unread' | 'teamId' | 'accountId' | 'assignedTo'

/** The filters that no stored count covers; a new filter does not compile before it stands here. */
const UNCOUNTED = {
  contactId: true,
  tags: true,
  window: true,
  waiting: true,
  mentioned: true,
  answered: true,
  campaignId: true,
  search: true,
} satisfies Record<Exclude<keyof ConversationFilter, Counted>, true>

/**
 * Returns the condition on the stored counts that equals a filter, or `null` if the counts do not
 * cover it. They are stored by phone number, assignee, team and state.
 */
function countedFor(
  ctx: ReadCtx,
  filter: ConversationFilter,
): { condition: SQL | undefined } | null {
  const { teamId, accountId, assignedTo } = filter
  const isUncounted = Object.keys(UNCOUNTED).some(
    (name) => filter[name as keyof typeof UNCOUNTED] !== undefined,
  )
  if (!seesAll(ctx.actor) || isUncounted) return null
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
 * Counts the conversations the caller can see by state, phone number, team and person, and those
 * that are the caller's own, unassigned, unread and about to close.
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

/** The counts, without the longest time of waiting. Of open ones alone only what is stored. */
export type Counts = Omit<
  ConversationCounts,
  'closed_today' | 'waiting_longest_seconds' | 'folders'
> & {
  open_ones: OpenCounts
}

/** Numbers of open conversations. */
export interface OpenCounts {
  mine: number
  unassigned: number
  by_account: Record<string, number>
  by_team: Record<string, number>
}

/** Conversations that have these in common. */
interface Group {
  accountId: string
  teamId: string | null
  assignedTo: string | null
  state: ConversationRow['state']
  rows: number
  unread: number
}

/** Adds up conversations by one thing that they have in common, without zeros. */
function sumBy(groups: readonly Group[], keyOf: (group: Group) => string | null) {
  const sums: Record<string, number> = {}
  for (const group of groups) {
    const key = keyOf(group)
    if (key !== null && key !== NIL_UUID && group.rows > 0)
      sums[key] = (sums[key] ?? 0) + group.rows
  }
  return sums
}

/** Returns the counts of conversations in groups. */
function countsOf({ actor }: ReadCtx, groups: readonly Group[]): Omit<Counts, 'closing_window'> {
  const sum = (of: readonly Group[], value: 'rows' | 'unread' = 'rows'): number =>
    of.reduce((total, group) => total + group[value], 0)
  const isMine = ({ assignedTo }: Group): boolean =>
    actor.userId !== null && assignedTo === actor.userId
  const isFree = ({ assignedTo }: Group): boolean => assignedTo === null || assignedTo === NIL_UUID
  const inState = (state: Group['state']): Group[] => groups.filter((one) => one.state === state)
  const open = inState('open')
  const byState = {
    open: sum(open),
    pending: sum(inState('pending')),
    snoozed: sum(inState('snoozed')),
    closed: sum(inState('closed')),
  }
  return {
    ...byState,
    by_state: byState,
    by_account: sumBy(groups, ({ accountId }) => accountId),
    by_team: sumBy(groups, ({ teamId }) => teamId),
    by_user: sumBy(groups, ({ assignedTo }) => assignedTo),
    mine: sum(groups.filter(isMine)),
    unassigned: sum(groups.filter(isFree)),
    unread: sum(groups, 'unread'),
    open_ones: {
      mine: sum(open.filter(isMine)),
      unassigned: sum(open.filter(isFree)),
      by_account: sumBy(open, ({ accountId }) => accountId),
      by_team: sumBy(open, ({ teamId }) => teamId),
    },
  }
}

/** Counts conversations by reading them. */
function readCounts(ctx: ReadCtx, fits: SQL): Counts {
  const { accountId, teamId, state, assignedTo, unreadCount } = conversations
  const sumOf = (condition: SQL): SQL<number> => sql<number>`coalesce(sum(${condition}), 0)`
  const groups = ctx.db.orm
    .select({
      ...{ accountId, teamId, state, assignedTo },
      rows: sql<number>`count(*)`,
      unread: sumOf(sql`(${unreadCount} > 0)`),
      closing: sumOf(sql`coalesce((${windowFilter(ctx, 'closing')}), 0)`),
    })
    .from(conversations)
    .where(fits)
    .groupBy(accountId, teamId, state, assignedTo)
    .all()
  return {
    ...countsOf(ctx, groups),
    closing_window: groups.reduce((sum, { closing }) => sum + closing, 0),
  }
}

/** Adds up the stored counts. */
function sumOfCounts(
  ctx: ReadCtx,
  known: SQL | undefined,
  isUnread: boolean,
): Omit<Counts, 'closing_window'> {
  const { accountId, teamId, state, assignedTo, unread } = conversationCounts
  const groups = ctx.db.orm
    .select({
      ...{ accountId, teamId, state, assignedTo, unread },
      rows: isUnread ? unread : conversationCounts.conversations,
    })
    .from(conversationCounts)
    .where(inOrganization(ctx, conversationCounts, known))
    .all()
  return countsOf(ctx, groups)
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

/** Only conversations with a message in this time are looked at, in milliseconds. */
const RECENT_MS = 30 * DAY_MS

/** Counts the caller's matching conversations that were closed today and are still closed. */
export function countClosedToday(ctx: ReadCtx, filter: ConversationFilter): number {
  const nowMs = ctx.clock.nowMs()
  const { timezone } = getOrganization(ctx)
  const today = localDayOf(localDateOf(nowMs, timezone), timezone)
  return (
    ctx.db.orm
      .select({ rows: sql<number>`count(*)` })
      .from(conversations)
      .where(
        inOrganization(
          ctx,
          conversations,
          eq(conversations.assignedTo, ctx.actor.userId ?? ''),
          gt(conversations.lastMessageAtMs, nowMs - RECENT_MS),
          eq(conversations.state, 'closed'),
          gte(conversations.closedAtMs, today.fromMs),
          fitting(ctx, filter, searchOf(ctx, filter)),
        ),
      )
      .get()?.rows ?? 0
  )
}
