import { and, eq, inArray, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { InvalidError, NotFoundError } from '../../lib/errors'
import { longPage, readCursor, totalAtEnd, type LongPage } from '../../lib/page'
import { maskPhone } from '../../lib/phone'
import { readBounded, type SortPlace } from '../../infra/bounded-list'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { conversations } from '../conversations/table'
import { messages } from '../messages/table'
import { users } from '../users/table'
import { candidatesFor, contactsWhere, foundBy, type ContactFilters } from './filters'
import { contactsInOrder, sumOverContacts } from './scan'
import type { Found } from './search/query'
import { boundedSegmentCondition, conditionOfSegment, countContacts } from './segment-filter'
import type { ContactDetails, ContactView, SessionData } from './model'
import { findContact } from './service'
import { contactIdentities, contacts } from './table'
import { tagsOf } from './tags'
import { contactView, windowEndMs, type ContactRow } from './view'
import { getVisibleContact, masksNumbers, seesAll } from './visibility'

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
  const isMasked = masksNumbers(ctx)
  const after = query.cursor === undefined ? null : positionOf(ctx, query, query.cursor)
  if (after === 'gone')
    return longPage([], query, {
      view: () => [],
      cursorKeyOf: () => ({ value: null, id: '' }),
      total: null,
    })
  const found = foundBy(ctx, query)
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
      ? await totalOf(ctx, query, { filter, found, known: page.total, read: page.places.length })
      : null
  return longPage(rowsOf(ctx, page.places), query, {
    view: (shown) => contactViews(ctx, shown, isMasked),
    // A name may be a masked number, so the cursor holds only the ID.
    cursorKeyOf: (row) => ({
      value:
        query.sort === 'name'
          ? null
          : row[query.sort === 'created_at' ? 'createdAtMs' : 'lastMessageAtMs'],
      id: row.id,
    }),
    total,
  })
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
export async function firstContacts(
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
  const { places } = await readBounded(
    ctx,
    contactsInOrder(ctx, query, contactsWhere(ctx, filters)),
    range,
  )
  return contactViews(ctx, rowsOf(ctx, places), masksNumbers(ctx))
}

/**
 * Returns the position of a cursor, or `gone` if its contact no longer exists. Throws InvalidError.
 */
function positionOf(ctx: Ctx, query: ContactQuery, cursor: string): SortPlace | 'gone' {
  const position = readCursor(cursor)
  if (query.sort !== 'name') return position
  const last = findContact(ctx, position.id)
  return last ? { value: last.sortName, id: last.id } : 'gone'
}

/** Returns the rows at these positions, in order. */
function rowsOf(ctx: Ctx, places: SortPlace[]): ContactRow[] {
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

/**
 * Returns contacts as the API shows them. Reads the names of assignees and the tags with one query
 * each.
 */
export function contactViews(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  rows: ContactRow[],
  isMasked: boolean,
): ContactView[] {
  const ids = [...new Set(rows.map(({ assignedTo }) => assignedTo).filter((id) => id !== null))]
  const people =
    ids.length === 0
      ? []
      : ctx.db.orm
          .select({ id: users.id, full_name: users.fullName })
          .from(users)
          .where(inArray(users.id, ids))
          .all()
  const byId = new Map(people.map((person) => [person.id, person]))
  const tags = tagsOf(
    ctx,
    rows.map(({ id }) => id),
  )
  const withSystemMessage = isMasked ? withSystemPreview(ctx, rows) : new Set<string>()
  const windowEnds = endsOfClosedWindows(ctx, rows)
  return rows.map((row) =>
    contactView(row, {
      isMasked,
      windowEndMs: windowEnds.get(row.id),
      isPreviewMasked: withSystemMessage.has(row.id),
      assignee: row.assignedTo === null ? null : (byId.get(row.assignedTo) ?? null),
      tags: tags.get(row.id),
    }),
  )
}

/**
 * Returns when the latest window of each contact ends, for contacts with a window closed by the
 * platform. Reads all their conversations with one query.
 */
function endsOfClosedWindows(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  rows: ContactRow[],
): Map<string, number | null> {
  const ids = rows.filter(({ windowClosedAtMs }) => windowClosedAtMs !== null).map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const { contactId, lastInboundAtMs, windowClosedAtMs } = conversations
  const closedOnes = ctx.db.orm
    .select({ contactId, lastInboundAtMs, windowClosedAtMs })
    .from(conversations)
    .where(inOrganization(ctx, conversations, inArray(contactId, ids)))
    .all()
  const byContact = Map.groupBy(closedOnes, (one) => one.contactId)
  return new Map(
    [...byContact].map(([id, all]) => [
      id,
      Math.max(...all.map((one) => windowEndMs(one) ?? 0)) || null,
    ]),
  )
}

/**
 * Returns the contacts whose newest message is a system message of the platform, which may contain
 * phone numbers. Reads them with one query.
 */
function withSystemPreview(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  rows: ContactRow[],
): Set<string> {
  const places = JSON.stringify(rows.map(({ id, lastMessageAtMs }) => [id, lastMessageAtMs]))
  const newest = sql`(${messages.contactId}, ${messages.timestampMs}) in (select value ->> 0, value ->> 1 from json_each(${places}))`
  const withSystemMessage = ctx.db.orm
    .select({ contactId: messages.contactId })
    .from(messages)
    .where(inOrganization(ctx, messages, and(newest, eq(messages.type, 'system'))))
    .all()
  return new Set(withSystemMessage.map(({ contactId }) => contactId))
}

/** Returns a contact the caller can see, with its identities. Throws NotFoundError. */
export const getContact = (ctx: Ctx, id: string): ContactDetails =>
  contactDetails(ctx, getVisibleContact(ctx, id), masksNumbers(ctx))

/** Returns the data of the contact's chatbot session. Throws NotFoundError. */
export function getSessionData(ctx: Ctx, id: string): SessionData {
  getVisibleContact(ctx, id)
  return {
    session_id: null,
    flow_id: null,
    flow_name: null,
    session_data: null,
    panel_config: null,
  }
}

/** Returns a contact with its identities, as the API and the WebSocket show it. */
export function contactDetails(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  row: ContactRow,
  isMasked: boolean,
): ContactDetails {
  const [view] = contactViews(ctx, [row], isMasked)
  if (!view) throw new InvalidError('The contact could not be read.')
  const identities = ctx.db.orm
    .select()
    .from(contactIdentities)
    .where(inOrganization(ctx, contactIdentities, eq(contactIdentities.contactId, row.id)))
    .orderBy(contactIdentities.kind, contactIdentities.value)
    .limit(100)
    .all()
  return {
    ...view,
    identities: identities.map((identity) => ({
      kind: identity.kind,
      value: isMasked && identity.kind === 'phone' ? maskPhone(identity.value) : identity.value,
      account_id: identity.accountId,
      first_seen_at: isoTime(identity.firstSeenAtMs),
    })),
    platform_blocked: row.platformBlockedAtMs !== null,
  }
}
