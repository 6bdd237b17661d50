import { type SQL, and, eq, gte, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { inOrganization } from '../../../../infra/ctx'
import { FEW, type IdSource, type ListSource } from '../../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { isUuid, validIds } from '../../../../lib/ids'
import { tagKey } from '../../tags/queries'
import { tags } from '../../tags/table'
import { type Search, findContacts } from '../search/query'
import { conditionOfSegment, segmentCondition } from '../segment-filter/condition'
import { isVisibleRow, seesAll, visibleContacts } from '../sight/visibility'
import { contactTags, contacts } from '../table'
import type { ContactRow } from '../view'

/** Filters of a contact list. Omitted filters match every contact. */
export interface ContactFilters {
  search?: string | undefined
  accountId?: string | undefined
  /** A user ID, `me` or `none`. */
  assignedTo?: string | undefined
  /** IDs or names of tags. */
  tags?: string[] | undefined
  tagsMode?: 'any' | 'all' | undefined
  consent?: ContactRow['marketingConsent'] | undefined
  isBlocked?: boolean | undefined
  hasPhone?: boolean | undefined
  /** Epoch milliseconds; the start is inclusive, the end exclusive. */
  createdFromMs?: number | undefined
  createdBeforeMs?: number | undefined
  segmentId?: string | undefined
  /** A filter as segments have it. */
  filter?: unknown
}

/** Returns the parsed search of the filters, or `null` if there is none. */
export const searchOf = (ctx: ReadCtx, { search }: Pick<ContactFilters, 'search'>): Search | null =>
  search === undefined ? null : findContacts(ctx, search)

/**
 * Returns the condition for active contacts that the caller sees, that match the filters, and that
 * fulfill `condition`. It is a test of each row.
 */
export const contactsWhere = (ctx: ReadCtx, filters: ContactFilters, condition?: SQL): SQL =>
  inOrganization(
    ctx,
    contacts,
    isNull(contacts.deletedAtMs),
    isVisibleRow(ctx),
    filters.accountId === undefined ? undefined : eq(contacts.accountId, filters.accountId),
    assignedFilter(ctx, filters.assignedTo),
    filters.tags === undefined
      ? undefined
      : tagFilter(ctx, filters.tags, filters.tagsMode ?? 'any'),
    filters.consent === undefined ? undefined : eq(contacts.marketingConsent, filters.consent),
    filters.isBlocked === undefined
      ? undefined
      : (filters.isBlocked ? isNotNull : isNull)(contacts.blockedAtMs),
    filters.hasPhone === undefined
      ? undefined
      : (filters.hasPhone ? isNotNull : isNull)(contacts.phoneNumber),
    filters.createdFromMs === undefined
      ? undefined
      : gte(contacts.createdAtMs, filters.createdFromMs),
    filters.createdBeforeMs === undefined
      ? undefined
      : lt(contacts.createdAtMs, filters.createdBeforeMs),
    filters.segmentId === undefined
      ? undefined
      : (conditionOfSegment(ctx, filters.segmentId) ?? sql`0`),
    filters.filter === undefined ? undefined : segmentCondition(ctx, filters.filter),
    searchOf(ctx, filters)?.matches(contacts.id),
    condition,
  )

/**
 * Returns a set of contacts that contains every match, found by an index: few ones if there are
 * such, otherwise those of the search. `column` is the ID of the contact in the query.
 */
export function sourceFor(
  ctx: ReadCtx,
  { tags, tagsMode }: Pick<ContactFilters, 'tags' | 'tagsMode'>,
  { column, search }: { column: SQLiteColumn; search: Search | null },
): ListSource | null {
  const groups = tags === undefined ? [] : tagsMode === 'all' ? tags.map((tag) => [tag]) : [tags]
  const found = search?.source ?? null
  const sources = [
    found,
    ...groups.map((group) => contactsWithTags(ctx, namedTags(ctx, group))),
    seesAll(ctx.actor) ? null : visibleContacts(ctx),
  ].filter((one) => one !== null)
  // Of many, counting needs no other rows.
  const source = sources.find((one) => one.isFew && one.isScan !== true) ?? sources[0]
  return source ? { ...source, column } : null
}

function assignedFilter(ctx: ReadCtx, assignedTo: string | undefined): SQL | undefined {
  if (assignedTo === undefined) return undefined
  if (assignedTo === 'none') return isNull(contacts.assignedTo)
  return eq(contacts.assignedTo, assignedTo === 'me' ? (ctx.actor.userId ?? '') : assignedTo)
}

/** Matches contacts that have any, or all, of the tags. Unknown tags match no contact. */
function tagFilter(ctx: ReadCtx, names: string[], mode: 'any' | 'all'): SQL | undefined {
  if (names.length === 0) return sql`0`
  const groups = mode === 'all' ? names.map((one) => [one]) : [names]
  return and(
    ...groups.map((group) =>
      hasTag(
        ctx,
        inArray(
          contactTags.tagId,
          namedTags(ctx, group).map(({ id }) => id),
        ),
      ),
    ),
  )
}

/** Matches contacts that have a tag which fulfills the condition. */
const hasTag = (ctx: Pick<ReadCtx, 'organizationId'>, condition: SQL | undefined): SQL =>
  sql`exists (select 1 from ${contactTags} where ${inOrganization(ctx, contactTags, eq(contactTags.contactId, contacts.id), condition)})`

type Scope = Pick<ReadCtx, 'db' | 'organizationId'>

/** Returns the tags with these IDs or names, and the number of contacts that have each. */
const namedTags = (ctx: Scope, names: string[]): { id: string; carriers: number }[] => {
  const ids = validIds(names)
  const keys = names.filter((name) => !isUuid(name)).map(tagKey)
  return ctx.db.orm
    .select({ id: tags.id, carriers: tags.contactCount })
    .from(tags)
    .where(
      inOrganization(
        ctx,
        tags,
        or(
          ids.length === 0 ? undefined : inArray(tags.id, ids),
          keys.length === 0 ? undefined : inArray(tags.nameKey, keys),
        ) ?? sql`0`,
      ),
    )
    .all()
}

/** Returns the contacts that have one of these tags. */
const contactsWithTags = (ctx: Scope, tagged: { id: string; carriers: number }[]): IdSource => {
  const isOne = inArray(
    contactTags.tagId,
    tagged.map(({ id }) => id),
  )
  return {
    ids: sql`select ${contactTags.contactId} from ${contactTags} where ${inOrganization(ctx, contactTags, isOne)}`,
    isFew: tagged.reduce((sum, { carriers }) => sum + carriers, 0) <= FEW,
  }
}
