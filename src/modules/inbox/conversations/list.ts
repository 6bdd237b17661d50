import { and, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'

import { longPage, readCursor, totalAtEnd, type LongPage, type CursorKey } from '../../../lib/page'
import { readBounded } from '../../../infra/bounded-list'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { readPageAfter } from '../../../infra/keyset-pagination'
import { parsedSearchOf } from '../contacts/filters'
import type { Found } from '../contacts/search/query'
import { contacts } from '../contacts/table'
import { seesAll } from '../contacts/visibility'
import { chosenBy, contactsFor, fitting, type ConversationFilter } from './filters'
import type { ConversationView } from './model'
import { type ConversationRow, contactOf } from './row'
import { conversationsInOrder, inStates, statesOfUndated, type ReadStates } from './scan'
import { CONVERSATION_STATES, conversations } from './table'
import { totalOf, countFitting } from './counts'
import { views } from './load-views'
import { rowsWithRelations } from './related-rows'

/** Filters, order and page of a conversation list. */
export interface ConversationQuery extends ConversationFilter {
  page: number
  limit: number
  cursor?: string | undefined
  sort: keyof typeof SORTS
}

/** Sort columns; rows without a value come last. */
const SORTS = {
  last_message_at: { column: conversations.lastMessageAtMs, order: 'desc' },
  oldest_unanswered: { column: conversations.unansweredSinceMs, order: 'asc' },
} as const

/** Returns the position of a conversation in the list. */
const placeIn = (row: ConversationRow, sort: ConversationQuery['sort']): CursorKey => ({
  value: sort === 'last_message_at' ? row.lastMessageAtMs : row.unansweredSinceMs,
  id: row.id,
})

/**
 * Returns a page of the conversations the caller can see, sorted by newest message or by longest
 * waiting time. A search with many results has no total.
 */
export async function listConversations(
  ctx: Ctx,
  query: ConversationQuery,
): Promise<LongPage<ConversationView>> {
  const after = query.cursor === undefined ? null : readCursor(query.cursor)
  const found = parsedSearchOf(ctx, query)
  // An index of the list holds conversations that the caller may not see, few or most of them.
  const isAlong =
    found === null &&
    query.contactId === undefined &&
    query.tags === undefined &&
    seesAll(ctx.actor)
  const page = isAlong
    ? await readAlong(ctx, query, after)
    : await readAmong(ctx, query, { found, after })
  const rows = rowsWithRelations(
    ctx,
    page.positions.map(({ id }) => id),
  )
  const byId = new Map(rows.map((row) => [row.conversation.id, row]))
  const listed = page.positions.map(({ id }) => byId.get(id)).filter((row) => row !== undefined)
  const isCounted =
    query.cursor === undefined && found === null && totalAtEnd(listed.length, query) === null
  return longPage(listed, query, {
    view: (shown) => views(ctx, shown),
    cursorKeyOf: ({ conversation }) => placeIn(conversation, query.sort),
    total: isCounted && page.total === null ? await totalOf(ctx, query) : page.total,
  })
}

interface ReadPage {
  positions: Pick<CursorKey, 'id'>[]
  total: number | null
}

/** Reads a page along an index of the list, for callers who see every contact. */
async function readAlong(
  ctx: Ctx,
  query: ConversationQuery,
  after: CursorKey | null,
): Promise<ReadPage> {
  const sort = SORTS[query.sort]
  const filter = chosenBy(ctx, query)
  const rowLimit = query.limit + 1
  const read = (part: ListPart): CursorKey[] =>
    placesIn(ctx, query, { ...part, condition: and(filter, part.condition) })
  if (after !== null)
    return {
      positions: readPageAfter(
        { value: sort.column, id: conversations.id },
        { place: after, order: sort.order, limit: rowLimit },
        (condition, limit, isDated) => read({ condition, limit, offset: 0, isDated }),
      ),
      total: null,
    }
  const countWith = (): Promise<number> =>
    countFitting(ctx, and(fitting(ctx, query, null), isNotNull(sort.column)) ?? sql`1`, null)
  const offset = (query.page - 1) * query.limit
  return {
    positions: await readNumberedPage(read, { sort, rowLimit, offset, countWith }),
    total: null,
  }
}

/** Reads a page of the conversations of one contact, of a search, or that the caller can see. */
async function readAmong(
  ctx: Ctx,
  query: ConversationQuery,
  at: { found: Found | null; after: CursorKey | null },
): Promise<ReadPage> {
  const list = conversationsInOrder(
    ctx,
    { ...SORTS[query.sort], states: query.states ?? CONVERSATION_STATES },
    fitting(ctx, query, at.found),
  )
  const offset = query.cursor === undefined ? (query.page - 1) * query.limit : 0
  const candidates = contactsFor(ctx, query, at.found)
  return await readBounded(ctx, list, {
    after: at.after,
    offset,
    rows: query.limit + 1,
    candidates,
  })
}

/** A part of a list: of the conversations with a value of the order, of those without, or of both. */
interface ListPart {
  condition: SQL | undefined
  limit: number
  offset: number
  isDated: boolean
}

/** Reads a page by its number: rows with a sort value first, then those without. */
async function readNumberedPage(
  read: (part: ListPart) => CursorKey[],
  at: {
    sort: (typeof SORTS)[keyof typeof SORTS]
    rowLimit: number
    offset: number
    countWith: () => Promise<number>
  },
): Promise<CursorKey[]> {
  const { column, order } = at.sort
  const first = { limit: at.rowLimit, offset: at.offset, isDated: true }
  // Rows without a value are less than all others, so that they come last by themselves.
  if (order === 'desc') return read({ ...first, condition: undefined })
  const withValue = read({ ...first, condition: isNotNull(column) })
  if (withValue.length >= at.rowLimit) return withValue
  const offset = withValue.length > 0 || at.offset === 0 ? 0 : at.offset - (await at.countWith())
  const limit = at.rowLimit - withValue.length
  return [...withValue, ...read({ limit, offset, isDated: false, condition: isNull(column) })]
}

/**
 * Returns the states by which the list is read (`inStates`). A list of one phone number, assignee or
 * team, of unread conversations or of closing windows has an index of its own.
 */
function statesOf(query: ConversationQuery, isDated: boolean): ReadStates {
  const { column } = SORTS[query.sort]
  if (query.states !== undefined && query.states.length < CONVERSATION_STATES.length)
    return query.states
  const own = [query.accountId, query.assignedTo, query.teamId, query.unread || undefined]
  const isOwn = query.window === 'closing' || own.some((filter) => filter !== undefined)
  if (isOwn && query.sort === 'last_message_at') return null
  return isDated ? CONVERSATION_STATES : statesOfUndated(column, CONVERSATION_STATES)
}

/** Returns the places of the conversations in a part of the list. */
const placesIn = (
  ctx: Ctx,
  query: ConversationQuery,
  { condition, limit, offset, isDated }: ListPart,
): CursorKey[] => {
  const { column, order } = SORTS[query.sort]
  return inStates(statesOf(query, isDated), order, (state) =>
    ctx.db.orm
      .select({ value: column, id: conversations.id })
      .from(conversations)
      .innerJoin(contacts, contactOf)
      .where(inOrganization(ctx, conversations, condition, state, isNull(contacts.deletedAtMs)))
      .$dynamic(),
  )
    .limit(limit)
    .offset(offset)
    .all()
}
