import { and, sql, type SQL } from 'drizzle-orm'

import { longPage, type LongPage } from '../../../lib/page'
import {
  countIn,
  placesIn,
  placesOfPage,
  totalIn,
  type OrderedList,
} from '../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { searchOf } from '../contacts/list/filters'
import { storedTotal } from './counts'
import { chosenBy, contactsFor, fitting, type ConversationFilter } from './filters'
import type { ConversationView } from './model'
import type { ConversationRow } from './row'
import { CONVERSATION_STATES, conversations } from './table'
import { views } from './load-views'
import { rowsWithRelations, type RelatedRows } from './related-rows'

/** Filters, order and page of a conversation list. */
export interface ConversationQuery extends ConversationFilter {
  page: number
  limit: number
  cursor?: string | undefined
  sort: keyof typeof SORTS
}

/** Sort columns; rows without a value come last. */
const SORTS = {
  last_message_at: { value: conversations.lastMessageAtMs, order: 'desc' },
  oldest_unanswered: { value: conversations.unansweredSinceMs, order: 'asc' },
} as const

/**
 * Returns a page of the conversations the caller can see, sorted by newest message or by longest
 * waiting time. With a filter that no counter covers, `total` is `null` beyond 10,000.
 */
export function conversationPage(
  ctx: ReadCtx,
  query: ConversationQuery,
): LongPage<ConversationView> {
  const list = conversationsInOrder(ctx, query)
  const ids = placesOfPage(ctx, list, query).map(({ id }) => id)
  return longPage(rowsInOrder(ctx, ids), query, {
    view: (shown) => views(ctx, shown),
    cursorKeyOf: ({ conversation }) => ({
      value:
        query.sort === 'last_message_at'
          ? conversation.lastMessageAtMs
          : conversation.unansweredSinceMs,
      id: conversation.id,
    }),
    total: () => storedTotal(ctx, query) ?? totalIn(ctx, list),
  })
}

/** Returns the conversations with these IDs and what belongs to them, in the same order. */
function rowsInOrder(ctx: ReadCtx, ids: string[]): RelatedRows[] {
  const byId = new Map(rowsWithRelations(ctx, ids).map((row) => [row.conversation.id, row]))
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}

/** Returns the IDs of the first `most` conversations that match a filter, newest message first. */
export function firstConversationIds(
  ctx: ReadCtx,
  filter: ConversationFilter,
  most: number,
): string[] {
  const list = conversationsInOrder(ctx, { ...filter, sort: 'last_message_at' })
  return placesIn(ctx, list, { after: null, offset: 0, rows: most }).map(({ id }) => id)
}

/** Returns the conversations that match a filter and have the newest messages. */
export const newestConversations = (
  ctx: ReadCtx,
  filter: ConversationFilter,
  most: number,
): ConversationView[] => views(ctx, rowsInOrder(ctx, firstConversationIds(ctx, filter, most)))

/** Counts the conversations that match a filter, up to `most`. */
export const countConversationsUpTo = (
  ctx: ReadCtx,
  filter: ConversationFilter,
  most: number,
): number =>
  Math.min(
    storedTotal(ctx, filter) ??
      countIn(ctx, conversationsInOrder(ctx, { ...filter, sort: 'last_message_at' }), most),
    most,
  )

/** Returns since when the customer waits who waits longest, epoch milliseconds, or `null`. */
export function longestWaiting(ctx: ReadCtx, filter: ConversationFilter): number | null {
  const waiting = CONVERSATION_STATES.filter((state) => state !== 'closed')
  const states = filter.states?.filter((state) => state !== 'closed') ?? waiting
  const list = conversationsInOrder(ctx, { ...filter, states, sort: 'oldest_unanswered' })
  const [first] = placesIn(
    ctx,
    { ...list, undatedParts: null },
    { after: null, offset: 0, rows: 1 },
  )
  return first === undefined ? null : Number(first.value)
}

/** Returns the list of the conversations that match a filter. */
function conversationsInOrder(
  ctx: ReadCtx,
  query: ConversationFilter & Pick<ConversationQuery, 'sort'>,
): OrderedList {
  const search = searchOf(ctx, query)
  const chosen = chosenBy(ctx, query)
  const inState = (state: ConversationRow['state']): SQL | undefined =>
    and(chosen, sql`${conversations.state} = ${sql.raw(`'${state}'`)}`)
  const partsIn = (states: ReadStates): SQL[] =>
    states === null ? [chosen ?? sql`1`] : states.map((state) => inState(state) ?? sql`1`)
  const { value, order } = SORTS[query.sort]
  const states = statesOf(query)
  return {
    ...{ table: conversations, id: conversations.id, value, order },
    filter: fitting(ctx, query, search),
    source: contactsFor(ctx, query, search),
    parts: states?.length === 0 ? [sql`0`] : partsIn(states),
    // The index of waiting times holds no others.
    undatedParts: partsIn(query.sort === 'last_message_at' ? states : null),
  }
}

/** The states to read, each along the index by state; `null` for an index without the state. */
type ReadStates = readonly ConversationRow['state'][] | null

/**
 * Returns the states by which the list is read. A list of one phone number, assignee or team, of
 * unread conversations or of closing windows has an index of its own.
 */
function statesOf(query: ConversationFilter & Pick<ConversationQuery, 'sort'>): ReadStates {
  if (query.states !== undefined && query.states.length < CONVERSATION_STATES.length)
    return query.states
  const own = [query.accountId, query.assignedTo, query.teamId, query.unread || undefined]
  const isOwn = query.window === 'closing' || own.some((filter) => filter !== undefined)
  return isOwn && query.sort === 'last_message_at' ? null : CONVERSATION_STATES
}
