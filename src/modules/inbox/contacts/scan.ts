import { and, asc, desc, eq, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'

import type { BoundedList, SortPosition } from '../../../infra/bounded-list'
import { hasIdIn, inOrganization, type Ctx } from '../../../infra/ctx'
import { sumOverRows } from '../../../infra/row-sums'
import { ownCandidates, type ContactFilters } from './filters'
import { CONSENT_STATES, contacts } from './table'
import { uuidPlaceholder, LAST_UUID } from '../../../infra/db/uuid'
import { wordPlace } from '../../../infra/db/word'

/** Sort columns, followed by the ID. For `created_at` the ID is enough: it begins with the time. */
const SORTED_BY = {
  last_message_at: contacts.lastMessageAtMs,
  created_at: sql`null`,
  name: contacts.sortName,
}

/** Sort order and filters of a contact list. */
type Sorted = Pick<
  ContactFilters,
  'accountId' | 'assignedTo' | 'consent' | 'isBlocked' | 'hasPhone'
> & {
  sort: keyof typeof SORTED_BY
  order: 'asc' | 'desc'
}

/** Sorts above every text. */
const LAST_TEXT = '\u{10FFFF}'
const LAST_NUMBER = Number.MAX_SAFE_INTEGER

/** Returns a contact list in its order, with the test whether a contact matches the filter. */
export function contactsInOrder(ctx: Ctx, query: Sorted, filter: SQL): BoundedList {
  const value = SORTED_BY[query.sort]
  const isDown = query.order === 'desc'
  const direction = isDown ? desc : asc
  const compare = sql.raw(isDown ? '<' : '>')
  const isById = query.sort === 'created_at'
  const fits = sql<number>`coalesce((${filter}), 0)`
  const read = (condition: SQL | undefined) =>
    ctx.db.orm
      .select({ value: sql<number | string | null>`${sql`${value}`}`, id: contacts.id, fits })
      .from(contacts)
      .where(inOrganization(ctx, contacts, indexedFilter(ctx, query), condition))
      .orderBy(...(isById ? [] : [direction(value)]), direction(contacts.id))
      .limit(sql.placeholder('limit'))
      .prepare()
  // Reads one range of the index on a column. The explicit `is not null` lets SQLite use a partial
  // index.
  const dated = read(
    and(
      isNotNull(value),
      sql`(${value}, ${contacts.id}) ${compare} (${sql.placeholder('value')}, ${uuidPlaceholder('id')})`,
    ),
  )
  const undated = read(
    and(
      isById ? undefined : isNull(value),
      sql`${contacts.id} ${compare} ${uuidPlaceholder('id')}`,
    ),
  )
  const first = isDown
    ? { value: query.sort === 'name' ? LAST_TEXT : LAST_NUMBER, id: LAST_UUID }
    : { value: query.sort === 'name' ? '' : -1, id: '' }
  return {
    order: query.order,
    walk(after, limit) {
      const isUndated = isById || after?.value === null
      const rows = isUndated ? [] : dated.all({ ...(after ?? first), limit })
      if (rows.length === limit || query.sort === 'name') return rows
      const id = isUndated ? (after ?? first).id : first.id
      return [...rows, ...undated.all({ id, limit: limit - rows.length })]
    },
    matching: amongContacts(ctx, value, filter),
  }
}

function amongContacts(
  ctx: Ctx,
  value: (typeof SORTED_BY)[keyof typeof SORTED_BY],
  filter: SQL,
): (ids: string[]) => SortPosition[] {
  const query = ctx.db.orm
    .select({ value: sql<number | string | null>`${sql`${value}`}`, id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, and(hasIdIn(contacts.id), sql`coalesce((${filter}), 0)`)))
    .prepare()
  return (ids) => query.all({ ids: JSON.stringify(ids) })
}

/**
 * Returns the filter that has an index in the order of the newest message, so that other rows are
 * never read.
 */
function indexedFilter(ctx: Ctx, query: Sorted): SQL | undefined {
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
    sql`${contacts.marketingConsent} <> ${wordPlace(CONSENT_STATES, 'unknown')}`,
  )
}

/** Counts the matching contacts that the caller can see, and sums values over them. */
export const sumOverContacts = <K extends string>(
  ctx: Ctx,
  filter: SQL,
  sums: Record<K, SQL>,
): Promise<Record<K | 'rows', number>> => {
  const own = ownCandidates(ctx)
  return sumOverRows(ctx, {
    table: contacts,
    filter,
    sums,
    among: own && { column: contacts.id, candidates: own },
  })
}

/** Counts the organization's matching contacts, regardless of the caller. */
export const countAllContacts = async (ctx: Ctx, filter: SQL): Promise<number> =>
  (await sumOverRows(ctx, { table: contacts, filter, sums: {}, among: null })).rows
