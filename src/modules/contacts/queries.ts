import { and, asc, count, desc, eq, inArray, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { InvalidError, NotFoundError } from '../../lib/errors'
import { longPage, readCursor, type LongPage } from '../../lib/page'
import { maskPhone } from '../../lib/phone'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { readBeyond } from '../../infra/keyset'
import { conversations } from '../conversations/table'
import { messages } from '../messages/table'
import { users } from '../users/table'
import { contactsWhere, foundBy, type ContactFilters } from './filters'
import type { Found } from './search'
import { conditionOfSegment } from './segment-filter'
import type { ContactDetails, ContactView, SessionData } from './model'
import { findContact } from './service'
import { contactCounts, contactIdentities, contacts } from './table'
import { tagsOf } from './tagging'
import { contactView, windowEndMs, type ContactRow } from './view'
import { getVisibleContact, masksNumbers, seesAll } from './visibility'

/** Which contacts, in which order, and which part of them. */
export interface ContactQuery extends ContactFilters {
  page: number
  limit: number
  cursor?: string | undefined
  sort: 'last_message_at' | 'created_at' | 'name'
  order: 'asc' | 'desc'
}

const SORTED_BY = { last_message_at: contacts.lastMessageAtMs, created_at: contacts.createdAtMs, name: contacts.sortName }

/** Contacts the caller sees that pass the filters, newest message first unless asked otherwise, those without a message last. */
export function listContacts(ctx: Ctx, query: ContactQuery): LongPage<ContactView> {
  const isMasked = masksNumbers(ctx)
  const found = foundBy(ctx, query)
  const asked: Asked = { ...query, filter: contactsWhere(ctx, query, found), areFew: !seesAll(ctx.actor) || found?.areFew === true }
  const rows = query.cursor === undefined ? readPage(ctx, asked) : readAfter(ctx, asked)
  return longPage(rows, query, {
    view: (shown) => contactViews(ctx, shown, isMasked),
    // A name may be a number that is hidden: its place is told by the id alone.
    placeOf: (row) => ({
      value: query.sort === 'name' ? null : row[query.sort === 'created_at' ? 'createdAtMs' : 'lastMessageAtMs'],
      id: row.id,
    }),
    total: () => totalOf(ctx, asked, found),
  })
}

/** The contacts of a segment that the caller sees and that fit the query. Throws NotFoundError for a segment the caller may not use. */
export function contactsOfSegment(ctx: Ctx, segmentId: string, query: ContactQuery): LongPage<ContactView> {
  if (query.cursor !== undefined) readCursor(query.cursor) // what is sent is judged before what is there
  const condition = conditionOfSegment(ctx, segmentId)
  if (condition === null) throw new NotFoundError('Segment')
  return listContacts(ctx, { ...query, condition })
}

/** How many contacts a list has in all; of all contacts and of those found by a search it is known without looking at each. */
function totalOf(ctx: Ctx, { filter, areFew: _few, ...query }: Asked, found: Found | null): number {
  const { page: _page, limit: _limit, cursor: _cursor, sort: _sort, order: _order, search: _search, ...others } = query
  const isWhole = seesAll(ctx.actor) && Object.values(others).every((asked) => asked === undefined)
  const known = !isWhole ? null : found === null ? countAll(ctx) : found.count()
  return known ?? countContacts(ctx, filter)
}

const countAll = (ctx: Ctx): number =>
  ctx.db.orm.select({ rows: contactCounts.contacts }).from(contactCounts).where(inOrganization(ctx, contactCounts)).get()?.rows ?? 0

const countContacts = (ctx: Ctx, filter: SQL): number =>
  ctx.db.orm
    .select({ rows: count() })
    .from(contacts)
    .where(and(inOrganization(ctx, contacts), filter))
    .get()?.rows ?? 0

/** A query with the condition it comes to, and whether so few pass it that they are looked up and sorted; else the list is read along its index. */
interface Asked extends ContactQuery {
  filter: SQL
  areFew: boolean
}

const keyOf = (query: ContactQuery) => ({ value: SORTED_BY[query.sort], id: contacts.id })

/** Reads sorted rows that fit, from `offset` on. */
function read(ctx: Ctx, query: Asked, condition: SQL | undefined, at: { limit: number; offset: number }): ContactRow[] {
  const key = keyOf(query)
  const direction = query.order === 'asc' ? asc : desc
  const first = query.areFew ? sql`+${key.value}` : key.value
  return ctx.db.orm
    .select()
    .from(contacts)
    .where(inOrganization(ctx, contacts, condition))
    .orderBy(direction(first), direction(key.id))
    .limit(at.limit)
    .offset(at.offset)
    .all()
}

/** A page by its number; rows without a value to sort by come last in both orders. */
function readPage(ctx: Ctx, query: Asked): ContactRow[] {
  const { filter } = query
  const limit = query.limit + 1
  const offset = (query.page - 1) * query.limit
  if (query.sort !== 'last_message_at' || query.order === 'desc') return read(ctx, query, filter, { limit, offset })
  const dated = and(filter, isNotNull(contacts.lastMessageAtMs)) ?? filter
  const rows = read(ctx, query, dated, { limit, offset })
  if (rows.length === limit) return rows
  const before = offset === 0 || rows.length > 0 ? offset + rows.length : countContacts(ctx, dated)
  const undated = and(filter, isNull(contacts.lastMessageAtMs))
  return [...rows, ...read(ctx, query, undated, { limit: limit - rows.length, offset: Math.max(0, offset - before) })]
}

/** The page after the place a cursor stands for. Throws InvalidError for a cursor that is none. */
function readAfter(ctx: Ctx, query: Asked): ContactRow[] {
  const place = readCursor(query.cursor ?? '')
  const wanted = query.limit + 1
  const readWhere = (condition: SQL, limit: number): ContactRow[] => read(ctx, query, and(query.filter, condition), { limit, offset: 0 })
  if (query.sort !== 'name') return readBeyond(keyOf(query), { place, order: query.order, limit: wanted }, readWhere)
  const last = findContact(ctx, place.id)
  if (!last) return []
  const compare = sql.raw(query.order === 'asc' ? '>' : '<')
  return readWhere(sql`(${contacts.sortName}, ${contacts.id}) ${compare} (${last.sortName}, ${last.id})`, wanted)
}

/** Contacts as the API answers them, with the names of their assignees and their tags, each read in one query. */
export function contactViews(ctx: Pick<Ctx, 'db' | 'organizationId'>, rows: ContactRow[], isMasked: boolean): ContactView[] {
  const ids = [...new Set(rows.map(({ assignedTo }) => assignedTo).filter((id) => id !== null))]
  const people =
    ids.length === 0 ? [] : ctx.db.orm.select({ id: users.id, full_name: users.fullName }).from(users).where(inArray(users.id, ids)).all()
  const byId = new Map(people.map((person) => [person.id, person]))
  const tags = tagsOf(
    ctx,
    rows.map(({ id }) => id),
  )
  const told = isMasked ? toldByPlatform(ctx, rows) : new Set<string>()
  const ends = endsOfClosedWindows(ctx, rows)
  return rows.map((row) =>
    contactView(row, {
      isMasked,
      windowEndMs: ends.get(row.id),
      isPreviewMasked: told.has(row.id),
      assignee: row.assignedTo === null ? null : (byId.get(row.assignedTo) ?? null),
      tags: tags.get(row.id),
    }),
  )
}

/** When the latest window of each contact ends of which the platform has closed one: its conversations tell, read in one query. */
function endsOfClosedWindows(ctx: Pick<Ctx, 'db' | 'organizationId'>, rows: ContactRow[]): Map<string, number | null> {
  const ids = rows.filter(({ windowClosedAtMs }) => windowClosedAtMs !== null).map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const { contactId, lastInboundAtMs, windowClosedAtMs } = conversations
  const theirs = ctx.db.orm
    .select({ contactId, lastInboundAtMs, windowClosedAtMs })
    .from(conversations)
    .where(inOrganization(ctx, conversations, inArray(contactId, ids)))
    .all()
  const byContact = Map.groupBy(theirs, (one) => one.contactId)
  return new Map([...byContact].map(([id, all]) => [id, Math.max(...all.map((one) => windowEndMs(one) ?? 0)) || null]))
}

/** Ids of the contacts whose newest message is one of the platform's own, which may tell numbers, read in one query. */
function toldByPlatform(ctx: Pick<Ctx, 'db' | 'organizationId'>, rows: ContactRow[]): Set<string> {
  const places = JSON.stringify(rows.map(({ id, lastMessageAtMs }) => [id, lastMessageAtMs]))
  const newest = sql`(${messages.contactId}, ${messages.timestampMs}) in (select value ->> 0, value ->> 1 from json_each(${places}))`
  const told = ctx.db.orm
    .select({ contactId: messages.contactId })
    .from(messages)
    .where(inOrganization(ctx, messages, and(newest, eq(messages.type, 'system'))))
    .all()
  return new Set(told.map(({ contactId }) => contactId))
}

/** One contact the caller sees, with its identities. Throws NotFoundError. */
export const getContact = (ctx: Ctx, id: string): ContactDetails => contactDetails(ctx, getVisibleContact(ctx, id), masksNumbers(ctx))

/** What a chatbot session with a contact knows. Throws NotFoundError. */
export function getSessionData(ctx: Ctx, id: string): SessionData {
  getVisibleContact(ctx, id)
  return { session_id: null, flow_id: null, flow_name: null, session_data: null, panel_config: null }
}

/** A contact with its identities, as the API and the socket show it. */
export function contactDetails(ctx: Pick<Ctx, 'db' | 'organizationId'>, row: ContactRow, isMasked: boolean): ContactDetails {
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
