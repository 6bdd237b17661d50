import { and, inArray, sql, type SQL } from 'drizzle-orm'

import { NotFoundError } from '../../../lib/errors'
import { longPage, readCursor, totalAtEnd, type LongPage } from '../../../lib/page'
import { readBounded, type SortPosition } from '../../../infra/bounded-list'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { candidatesFor, contactsWhere, parsedSearchOf, type ContactFilters } from './filters'
import { contactsInOrder, sumOverContacts } from './scan'
import type { Found } from './search/query'
import type { ContactDetails, ContactView } from './model'
import { findContact } from './service'
import { contacts } from './table'
import type { ContactRow } from './view'
import { sightOf } from './visible-history'
import { getVisibleContact, seesAll } from './visibility'
import { contactViews, contactDetails } from './load-views'
import {
  boundedSegmentCondition,
  conditionOfSegment,
  countContacts,
} from './segment-filter/condition'

/** Filters, order and page of a contact list. */
export interface ContactQuery extends ContactFilters {
  page: number
  limit: number
  cursor?: string | undefined
  sort: 'last_message_at' | 'created_at' | 'name'
  order: 'asc' | 'desc'
}

/**
 * Returns a page of the contacts the caller can see. Contacts without a message come last when
 * sorted by message time. A search with many results has no total. Throws InvalidError for an
 * invalid cursor or segment.
 */
export async function listContacts(ctx: Ctx, query: ContactQuery): Promise<LongPage<ContactView>> {
  const sight = sightOf(ctx)
  const after = query.cursor === undefined ? null : positionOf(ctx, query, query.cursor)
  if (after === 'gone')
    return longPage([], query, {
      view: () => [],
      cursorKeyOf: () => ({ value: null, id: '' }),
      total: null,
    })
  const found = parsedSearchOf(ctx, query)
  const filter = contactsWhere(ctx, withSegmentCondition(ctx, query), found)
  const range = {
    after,
    offset: query.cursor === undefined ? (query.page - 1) * query.limit : 0,
    rows: query.limit + 1,
  }
  const list = contactsInOrder(ctx, query, filter)
  const page = await readBounded(ctx, list, {
    ...range,
    candidates: candidatesFor(ctx, query, found),
  })
  const total =
    query.cursor === undefined
      ? await totalOf(ctx, query, { filter, found, known: page.total, read: page.positions.length })
      : null
  return longPage(rowsOf(ctx, page.positions), query, {
    view: (shown) => contactViews(ctx, shown, sight),
    // A name may be a masked number, so the cursor holds only the ID.
    cursorKeyOf: (row) => ({
      value: query.sort === 'last_message_at' ? row.lastMessageAtMs : null,
      id: row.id,
    }),
    total,
  })
}

/**
 * Counts the contacts that match a query and that the caller can see, up to `most`. Throws
 * InvalidError `segment_too_expensive`.
 */
export async function countContactsUpTo(
  ctx: Ctx,
  query: ContactQuery,
  most: number,
): Promise<number> {
  const found = parsedSearchOf(ctx, query)
  const filter = contactsWhere(ctx, withSegmentCondition(ctx, query), found)
  const { positions } = await readBounded(ctx, contactsInOrder(ctx, query, filter), {
    ...{ after: null, offset: 0, rows: most },
    candidates: candidatesFor(ctx, query, found),
  })
  return positions.length
}

/**
 * Replaces the segment of a query by its condition. Throws InvalidError `segment_too_expensive`.
 */
const withSegmentCondition = (ctx: Ctx, { segmentId, ...query }: ContactQuery): ContactFilters =>
  segmentId === undefined
    ? query
    : {
        ...query,
        condition: and(
          conditionOfSegment(ctx, segmentId, boundedSegmentCondition) ?? sql`0`,
          query.condition,
        ),
      }

/** Returns the matching contacts with the newest messages. */
export async function newestContacts(
  ctx: Ctx,
  filters: ContactFilters,
  limit: number,
): Promise<ContactView[]> {
  const query = { sort: 'last_message_at', order: 'desc' } as const
  const range = {
    after: null,
    offset: 0,
    rows: limit,
    candidates: candidatesFor(ctx, filters, null),
  }
  const { positions: places } = await readBounded(
    ctx,
    contactsInOrder(ctx, query, contactsWhere(ctx, filters)),
    range,
  )
  return contactViews(ctx, rowsOf(ctx, places), sightOf(ctx))
}

/**
 * Returns the position of a cursor, or `gone` if its contact no longer exists. Throws InvalidError.
 */
function positionOf(ctx: Ctx, query: ContactQuery, cursor: string): SortPosition | 'gone' {
  const position = readCursor(cursor)
  if (query.sort !== 'name') return position
  const last = findContact(ctx, position.id)
  return last ? { value: last.sortName, id: last.id } : 'gone'
}

/** Returns the rows at these positions, in order. */
function rowsOf(ctx: Ctx, places: SortPosition[]): ContactRow[] {
  if (places.length === 0) return []
  const rows = ctx.db.orm
    .select()
    .from(contacts)
    .where(
      inOrganization(
        ctx,
        contacts,
        inArray(
          contacts.id,
          places.map(({ id }) => id),
        ),
      ),
    )
    .all()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return places.map(({ id }) => byId.get(id)).filter((row) => row !== undefined)
}

/**
 * Returns the contacts of a segment that the caller can see and that match the query. Throws
 * NotFoundError for a segment the caller may not use.
 */
export async function contactsOfSegment(
  ctx: Ctx,
  segmentId: string,
  query: ContactQuery,
): Promise<LongPage<ContactView>> {
  // an invalid cursor is reported before an unknown segment
  if (query.cursor !== undefined) readCursor(query.cursor)
  const condition = conditionOfSegment(ctx, segmentId, boundedSegmentCondition)
  if (condition === null) throw new NotFoundError('Segment')
  return await listContacts(ctx, { ...query, condition })
}

/**
 * Returns the length of a list. A search with many results is not counted; the total of all
 * contacts is stored.
 */
async function totalOf(
  ctx: Ctx,
  query: ContactQuery,
  at: { filter: SQL; found: Found | null; known: number | null; read: number },
): Promise<number | null> {
  const known = at.known ?? totalAtEnd(at.read, query)
  if (known !== null || at.found !== null) return known
  const {
    page: _page,
    limit: _limit,
    cursor: _cursor,
    sort: _sort,
    order: _order,
    ...others
  } = query
  const isUnfiltered =
    seesAll(ctx.actor) && Object.values(others).every((value) => value === undefined)
  return isUnfiltered ? countContacts(ctx) : (await sumOverContacts(ctx, at.filter, {})).rows
}

/** Returns a contact the caller can see, with its identities. Throws NotFoundError. */
export const getContact = (ctx: Ctx, id: string): ContactDetails =>
  contactDetails(ctx, getVisibleContact(ctx, id), sightOf(ctx))
