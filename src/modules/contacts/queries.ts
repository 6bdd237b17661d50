import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, like, lt, or, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { InvalidError } from '../../lib/errors'
import { likeText, numberedPage, readCursor, writeCursor, type LongPage } from '../../lib/page'
import { maskPhone } from '../../lib/phone'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { users } from '../users/table'
import type { ContactDetails, ContactView } from './model'
import { contactIdentities, contacts } from './table'
import { contactView, type ContactRow } from './view'
import { getVisibleContact, masksNumbers, visibleTo } from './visibility'

/** How contacts are chosen and sorted. */
export interface ContactQuery {
  page: number
  limit: number
  cursor?: string | undefined
  search?: string | undefined
  accountId?: string | undefined
  /** A user id, `me` or `none`. */
  assignedTo?: string | undefined
  sort: 'last_message_at' | 'created_at'
  order: 'asc' | 'desc'
}

/** Contacts the caller sees, newest message first unless asked otherwise, those without a message last. */
export function listContacts(ctx: Ctx, query: ContactQuery): LongPage<ContactView> {
  const isMasked = masksNumbers(ctx)
  const filter = inOrganization(
    ctx,
    contacts,
    isNull(contacts.deletedAtMs),
    visibleTo(ctx, contacts.id),
    query.accountId === undefined ? undefined : eq(contacts.accountId, query.accountId),
    assignedFilter(ctx, query.assignedTo),
    query.search === undefined ? undefined : searchFilter(ctx, query.search, isMasked),
  )
  const column = query.sort === 'created_at' ? contacts.createdAtMs : contacts.lastMessageAtMs
  const direction = query.order === 'asc' ? asc : desc
  const rows = ctx.db.orm
    .select()
    .from(contacts)
    .where(and(filter, query.cursor === undefined ? undefined : beyond(column, query)))
    .orderBy(...(query.order === 'asc' && query.sort === 'last_message_at' ? [sql`${column} is null`] : []), direction(column), direction(contacts.id))
    .limit(query.limit + 1)
    .offset(query.cursor === undefined ? (query.page - 1) * query.limit : 0)
    .all()
  const shown = rows.slice(0, query.limit)
  const last = shown.at(-1)
  const items = withAssignees(ctx, shown, isMasked)
  const next_cursor =
    rows.length > query.limit && last
      ? writeCursor({ value: query.sort === 'created_at' ? last.createdAtMs : last.lastMessageAtMs, id: last.id })
      : null
  if (query.cursor !== undefined) return { items, total: null, page: null, limit: query.limit, total_pages: null, next_cursor }
  const total = ctx.db.orm.select({ rows: count() }).from(contacts).where(filter).get()?.rows ?? 0
  return { ...numberedPage(items, total, query), next_cursor }
}

/** Rows after the cursor's place; a missing sort value comes last in either order. */
function beyond(column: typeof contacts.createdAtMs | typeof contacts.lastMessageAtMs, query: ContactQuery): SQL | undefined {
  const place = readCursor(query.cursor ?? '')
  const after = query.order === 'asc' ? gt : lt
  if (place.value === null) return and(isNull(column), after(contacts.id, place.id))
  return or(and(isNotNull(column), after(column, place.value)), and(eq(column, place.value), after(contacts.id, place.id)), isNull(column))
}

function assignedFilter(ctx: Ctx, assignedTo: string | undefined): SQL | undefined {
  if (assignedTo === undefined) return undefined
  if (assignedTo === 'none') return isNull(contacts.assignedTo)
  return eq(contacts.assignedTo, assignedTo === 'me' ? (ctx.actor.userId ?? '') : assignedTo)
}

/** Name, profile name, username, or number in any form; of a masked number only the last four digits can be found. */
function searchFilter(ctx: Ctx, search: string, isMasked: boolean): SQL | undefined {
  const text = likeText(search.trim())
  const digits = search.replace(/[\s+().-]/g, '')
  const names = sql`(${like(contacts.name, text)} escape '\\' or ${like(contacts.profileName, text)} escape '\\' or ${like(contacts.username, text)} escape '\\')`
  if (!/^\d{2,15}$/.test(digits)) return names
  const pattern = isMasked ? `%${digits}` : `%${digits}%`
  if (isMasked && digits.length > 4) return isMaskedName(names)
  const byNumber = ctx.db.orm
    .select({ id: contactIdentities.contactId })
    .from(contactIdentities)
    .where(inOrganization(ctx, contactIdentities, and(eq(contactIdentities.kind, 'phone'), like(contactIdentities.value, pattern))))
  return or(isMasked ? isMaskedName(names) : names, inArray(contacts.id, byNumber))
}

/** With masking a name that is a number must not be found by its hidden digits. */
const isMaskedName = (names: SQL): SQL =>
  sql`(${names} and coalesce(${contacts.name}, '') not glob '*[0-9][0-9][0-9][0-9][0-9]*' and coalesce(${contacts.profileName}, '') not glob '*[0-9][0-9][0-9][0-9][0-9]*')`

/** Contacts with the names of their assignees, read in one query. */
export function withAssignees(ctx: Pick<Ctx, 'db'>, rows: ContactRow[], isMasked: boolean): ContactView[] {
  const ids = [...new Set(rows.map(({ assignedTo }) => assignedTo).filter((id) => id !== null))]
  const people =
    ids.length === 0 ? [] : ctx.db.orm.select({ id: users.id, full_name: users.fullName }).from(users).where(inArray(users.id, ids)).all()
  const byId = new Map(people.map((person) => [person.id, person]))
  return rows.map((row) => contactView(row, { isMasked, assignee: row.assignedTo === null ? null : (byId.get(row.assignedTo) ?? null) }))
}

/** One contact the caller sees, with its identities. Throws NotFoundError. */
export function getContact(ctx: Ctx, id: string): ContactDetails {
  const row = getVisibleContact(ctx, id)
  const isMasked = masksNumbers(ctx)
  const [view] = withAssignees(ctx, [row], isMasked)
  if (!view) throw new InvalidError('The contact could not be read.')
  const identities = ctx.db.orm
    .select()
    .from(contactIdentities)
    .where(inOrganization(ctx, contactIdentities, eq(contactIdentities.contactId, id)))
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
  }
}
