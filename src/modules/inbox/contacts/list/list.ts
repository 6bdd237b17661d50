import { and, eq, inArray, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'

import { longPage, readCursor, type LongPage } from '../../../../lib/page'
import { inOrganization } from '../../../../infra/ctx'
import {
  countIn,
  placesIn,
  totalIn,
  type OrderedList,
  type ListPlace,
} from '../../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { contactsWhere, searchOf, sourceFor, type ContactFilters } from './filters'
import { contactViews } from '../load-views'
import type { ContactView } from '../model'
import {
  boundedSegmentCondition,
  conditionOfSegment,
  countContacts,
} from '../segment-filter/condition'
import { contacts } from '../table'
import type { ContactRow } from '../view'
import { sightOf } from '../sight/visible-history'
import { seesAll } from '../sight/visibility'

/** Filters, order and page of a contact list. */
export interface ContactQuery extends ContactFilters {
  page: number
  limit: number
  cursor?: string | undefined
  sort: keyof typeof SORTED_BY
  order: 'asc' | 'desc'
}

/** Sort columns, followed by the ID. For `created_at` the ID is enough: it begins with the time. */
const SORTED_BY = {
  last_message_at: contacts.lastMessageAtMs,
  created_at: null,
  name: contacts.sortName,
}

/**
 * Returns a page of the contacts that the caller sees, of those with `condition`. Contacts without
 * a message come last when sorted by message time. With a filter or a search, `total` is `null`
 * beyond 10,000. Throws InvalidError for an invalid cursor or segment.
 */
export function contactPage(
  ctx: ReadCtx,
  query: ContactQuery,
  condition?: SQL,
): LongPage<ContactView> {
  const after = query.cursor === undefined ? null : startOf(ctx, query, query.cursor)
  const list = contactsInOrder(ctx, query, condition)
  const places =
    after === 'gone'
      ? []
      : placesIn(ctx, list, {
          after,
          offset: query.cursor === undefined ? (query.page - 1) * query.limit : 0,
          rows: query.limit + 1,
        })
  const sight = sightOf(ctx)
  return longPage(rowsAt(ctx, places), query, {
    view: (shown) => contactViews(ctx, shown, sight),
    // A name may be a masked number, so the cursor holds only the ID.
    cursorKeyOf: (row) => ({
      value: query.sort === 'last_message_at' ? row.lastMessageAtMs : null,
      id: row.id,
    }),
    total: () =>
      isUnfiltered(ctx, query) && condition === undefined ? countContacts(ctx) : totalIn(ctx, list),
  })
}

/**
 * Counts the contacts that match and that the caller sees, up to `most`. Throws InvalidError
 * `segment_too_expensive`.
 */
export const countContactsUpTo = (ctx: ReadCtx, filters: ContactFilters, most: number): number =>
  Math.min(
    countIn(ctx, contactsInOrder(ctx, { ...filters, sort: 'created_at', order: 'desc' }), most),
    most,
  )

/** Returns the contacts that match and that the caller sees, those with the newest messages. */
export function newestContacts(
  ctx: ReadCtx,
  { search, condition }: { search?: string; condition?: SQL },
  limit: number,
): ContactView[] {
  const list = contactsInOrder(ctx, { search, sort: 'last_message_at', order: 'desc' }, condition)
  const places = placesIn(ctx, list, { after: null, offset: 0, rows: limit })
  return contactViews(ctx, rowsAt(ctx, places), sightOf(ctx))
}

function contactsInOrder(
  ctx: ReadCtx,
  {
    segmentId,
    filter,
    search: typed,
    ...query
  }: ContactFilters & Pick<ContactQuery, 'sort' | 'order'>,
  condition?: SQL,
): OrderedList {
  const segment =
    segmentId === undefined
      ? undefined
      : (conditionOfSegment(ctx, segmentId, boundedSegmentCondition) ?? sql`0`)
  const matches = filter === undefined ? undefined : boundedSegmentCondition(ctx, filter)
  const search = searchOf(ctx, { search: typed })
  const part = indexedFilter(ctx, query)
  return {
    ...{ table: contacts, id: contacts.id, value: SORTED_BY[query.sort], order: query.order },
    filter: contactsWhere(
      ctx,
      query,
      and(search?.matches(contacts.id), segment, matches, condition),
    ),
    source: sourceFor(ctx, query, { column: contacts.id, search }),
    ...(part ? { parts: [part], undatedParts: [part] } : {}),
    ...(query.sort === 'name' ? { undatedParts: null } : {}),
  }
}

/** The cursor of a list by name holds only the ID. Returns `gone` if its contact no longer exists. */
function startOf(ctx: ReadCtx, { sort }: ContactQuery, cursor: string): ListPlace | 'gone' {
  const place = readCursor(cursor)
  if (sort !== 'name') return place
  const last = ctx.db.orm
    .select({ value: contacts.sortName, id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, eq(contacts.id, place.id)))
    .get()
  return last ?? 'gone'
}

/** Returns the rows at these places, in order. */
function rowsAt(ctx: ReadCtx, places: ListPlace[]): ContactRow[] {
  if (places.length === 0) return []
  const ids = places.map(({ id }) => id)
  const rows = ctx.db.orm
    .select()
    .from(contacts)
    .where(inOrganization(ctx, contacts, inArray(contacts.id, ids)))
    .all()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}

/**
 * Returns the filter that has an index in the order of the newest message, so that other rows are
 * never read.
 */
function indexedFilter(
  ctx: ReadCtx,
  query: ContactFilters & Pick<ContactQuery, 'sort'>,
): SQL | undefined {
  if (query.sort !== 'last_message_at') return undefined
  if (query.assignedTo !== undefined && query.assignedTo !== 'none')
    return eq(
      contacts.assignedTo,
      query.assignedTo === 'me' ? (ctx.actor.userId ?? '') : query.assignedTo,
    )
  if (query.isBlocked === true) return isNotNull(contacts.blockedAtMs)
  if (query.hasPhone === false) return isNull(contacts.phoneNumber)
  if (query.accountId !== undefined) return eq(contacts.accountId, query.accountId)
  // Most contacts have told nothing, and no index holds those.
  if (query.consent === undefined || query.consent === 'unknown') return undefined
  return and(
    eq(contacts.marketingConsent, query.consent),
    sql`${contacts.marketingConsent} <> 'unknown'`,
  )
}

function isUnfiltered(ctx: ReadCtx, query: ContactQuery): boolean {
  const {
    page: _page,
    limit: _limit,
    cursor: _cursor,
    sort: _sort,
    order: _order,
    ...others
  } = query
  return seesAll(ctx.actor) && Object.values(others).every((value) => value === undefined)
}
