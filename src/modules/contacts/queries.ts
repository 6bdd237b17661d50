import { and, asc, count, desc, eq, inArray, isNull, like, or, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { InvalidError } from '../../lib/errors'
import { likeText, longPage, readCursor, type LongPage } from '../../lib/page'
import { maskPhone } from '../../lib/phone'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { readBeyond } from '../../infra/keyset'
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
  const key = { value: query.sort === 'created_at' ? contacts.createdAtMs : contacts.lastMessageAtMs, id: contacts.id }
  const direction = query.order === 'asc' ? asc : desc
  const read = (condition: SQL | undefined, limit: number): ContactRow[] =>
    ctx.db.orm
      .select()
      .from(contacts)
      .where(and(filter, condition))
      .orderBy(
        ...(query.order === 'asc' && query.sort === 'last_message_at' ? [sql`${key.value} is null`] : []),
        direction(key.value),
        direction(key.id),
      )
      .limit(limit)
      .offset(query.cursor === undefined ? (query.page - 1) * query.limit : 0)
      .all()
  const wanted = query.limit + 1
  const rows =
    query.cursor === undefined
      ? read(undefined, wanted)
      : readBeyond(key, { place: readCursor(query.cursor), order: query.order, limit: wanted }, read)
  return longPage(rows, query, {
    view: (shown) => withAssignees(ctx, shown, isMasked),
    placeOf: (row) => ({ value: query.sort === 'created_at' ? row.createdAtMs : row.lastMessageAtMs, id: row.id }),
    total: () => ctx.db.orm.select({ rows: count() }).from(contacts).where(filter).get()?.rows ?? 0,
  })
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
function withAssignees(ctx: Pick<Ctx, 'db'>, rows: ContactRow[], isMasked: boolean): ContactView[] {
  const ids = [...new Set(rows.map(({ assignedTo }) => assignedTo).filter((id) => id !== null))]
  const people =
    ids.length === 0 ? [] : ctx.db.orm.select({ id: users.id, full_name: users.fullName }).from(users).where(inArray(users.id, ids)).all()
  const byId = new Map(people.map((person) => [person.id, person]))
  return rows.map((row) => contactView(row, { isMasked, assignee: row.assignedTo === null ? null : (byId.get(row.assignedTo) ?? null) }))
}

/** One contact the caller sees, with its identities. Throws NotFoundError. */
export const getContact = (ctx: Ctx, id: string): ContactDetails => contactDetails(ctx, getVisibleContact(ctx, id), masksNumbers(ctx))

/** A contact with its identities, as the API and the socket show it. */
export function contactDetails(ctx: Pick<Ctx, 'db' | 'organizationId'>, row: ContactRow, isMasked: boolean): ContactDetails {
  const [view] = withAssignees(ctx, [row], isMasked)
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
  }
}
