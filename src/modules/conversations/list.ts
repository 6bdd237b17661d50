import { and, asc, desc, eq, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'

import { longPage, readCursor, totalAtEnd, type LongPage, type CursorKey } from '../../lib/page'
import { readBounded } from '../../infra/bounded-list'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { readPageAfter } from '../../infra/keyset-pagination'
import { parsedSearchOf } from '../contacts/filters'
import type { Found } from '../contacts/search/query'
import { contacts } from '../contacts/table'
import { seesAll } from '../contacts/visibility'
import { chosenBy, contactsFor, fitting, type ConversationFilter } from './filters'
import type { ConversationView } from './model'
import { type ConversationRow, contactOf } from './row'
import { conversationsInOrder } from './scan'
import { conversations } from './table'
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
  const page =
    found === null && query.contactId === undefined && seesAll(ctx.actor)
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
  const read = (condition: SQL | undefined, limit: number, offset = 0): CursorKey[] =>
    placesIn(ctx, query, and(filter, condition), { limit, offset })
  if (after !== null)
    return {
      positions: readPageAfter(
        { value: sort.column, id: conversations.id },
        { place: after, order: sort.order, limit: rowLimit },
        read,
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
  const { column, order } = SORTS[query.sort]
  const list = conversationsInOrder(ctx, { column, order }, fitting(ctx, query, at.found))
  const offset = query.cursor === undefined ? (query.page - 1) * query.limit : 0
  const candidates = contactsFor(ctx, query, at.found)
  return await readBounded(ctx, list, {
    after: at.after,
    offset,
    rows: query.limit + 1,
    candidates,
  })
}

/** Reads a page by its number: rows with a sort value first, then those without. */
async function readNumberedPage(
  read: (condition: SQL | undefined, limit: number, offset: number) => CursorKey[],
  at: {
    sort: (typeof SORTS)[keyof typeof SORTS]
    rowLimit: number
    offset: number
    countWith: () => Promise<number>
  },
): Promise<CursorKey[]> {
  if (at.sort.order === 'desc') return read(undefined, at.rowLimit, at.offset)
  const withValue = read(isNotNull(at.sort.column), at.rowLimit, at.offset)
  if (withValue.length >= at.rowLimit) return withValue
  const skipped = withValue.length > 0 || at.offset === 0 ? 0 : at.offset - (await at.countWith())
  return [...withValue, ...read(isNull(at.sort.column), at.rowLimit - withValue.length, skipped)]
}

/** Splits a query into one condition per state, so that each is one range of an index. */
function statesOf({ states }: ConversationQuery): (SQL | undefined)[] {
  if (states === undefined || states.length === conversations.state.enumValues.length)
    return [undefined]
  return states.map((state) => eq(conversations.state, state))
}

function placesIn(
  ctx: Ctx,
  query: ConversationQuery,
  filter: SQL | undefined,
  at: { limit: number; offset: number },
): CursorKey[] {
  const { column, order } = SORTS[query.sort]
  const direction = order === 'asc' ? asc : desc
  const branches = statesOf(query)
  const readBranch = (state: SQL | undefined, limit: number, offset: number): CursorKey[] =>
    ctx.db.orm
      .select({ value: column, id: conversations.id })
      .from(conversations)
      .innerJoin(contacts, contactOf)
      .where(inOrganization(ctx, conversations, filter, state, isNull(contacts.deletedAtMs)))
      .orderBy(direction(column), direction(conversations.id))
      .limit(limit)
      .offset(offset)
      .all()
  if (branches.length === 1) return readBranch(branches[0], at.limit, at.offset)
  const merged = branches
    .flatMap((state) => readBranch(state, at.offset + at.limit, 0))
    .toSorted(before(order))
  return merged.slice(at.offset, at.offset + at.limit)
}

/** Compares positions in the order of the database. */
const before =
  (order: 'asc' | 'desc') =>
  (a: CursorKey, b: CursorKey): number => {
    const byValue = (a.value ?? -Infinity) - (b.value ?? -Infinity) || 0
    const ascending = byValue || (a.id < b.id ? -1 : 1)
    return order === 'asc' ? ascending : -ascending
  }
