import { and, eq, gte, inArray, isNotNull, isNull, lt, sql, type SQL } from 'drizzle-orm'

import type { Candidates } from '../../../infra/bounded-list'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { smallestOf } from './search/candidates'
import { findContacts, type Found } from './search/query'
import { contacts, contactTags } from './table'
import { isVisibleRow, seesAll, viewerOf } from './visibility'
import type { ContactRow } from './view'
import { conditionOfSegment } from './segment-filter/condition'
import { contactsByTags, namedTags } from './search/by-tag'
import { contactsOfUser } from './search/by-assignee'
import { contactsSeenBy } from './search/by-viewer'

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
  /** Any further SQL condition. */
  condition?: SQL | undefined
}

/** Returns the parsed search of the filters, or `null` if there is none. */
export const parsedSearchOf = (
  ctx: Ctx,
  { search }: Pick<ContactFilters, 'search'>,
): Found | null => (search === undefined ? null : findContacts(ctx, search))

/**
 * Returns the condition for active contacts that the caller can see and that match the filters. It
 * is evaluated row by row, so a query with it must read a bounded number of rows.
 */
export const contactsWhere = (
  ctx: Ctx,
  filters: ContactFilters,
  found: Found | null = parsedSearchOf(ctx, filters),
): SQL =>
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
    found?.matches(contacts.id),
    filters.segmentId === undefined
      ? undefined
      : (conditionOfSegment(ctx, filters.segmentId) ?? sql`0`),
    filters.condition,
  )

/**
 * Returns the smallest indexed set of contacts that contains every match, or `null` if no index
 * applies.
 */
export function candidatesFor(
  ctx: Ctx,
  filters: ContactFilters,
  found: Found | null,
): Candidates | null {
  const { tags, tagsMode, assignedTo } = filters
  const groups = tags === undefined ? [] : tagsMode === 'all' ? tags.map((tag) => [tag]) : [tags]
  const assignee =
    assignedTo === 'me' ? ctx.actor.userId : assignedTo === 'none' ? null : assignedTo
  return smallestOf([
    found?.candidates ?? null,
    ...groups.map((group) => contactsByTags(ctx, namedTags(ctx, group))),
    assignee == null ? null : contactsOfUser(ctx, assignee),
    ownCandidates(ctx),
  ])
}

/** Returns the contacts that the caller sees, or `null` if the caller sees all contacts. */
export const ownCandidates = (ctx: Ctx): Candidates | null =>
  seesAll(ctx.actor) ? null : contactsSeenBy(ctx, viewerOf(ctx))

function assignedFilter(ctx: Ctx, assignedTo: string | undefined): SQL | undefined {
  if (assignedTo === undefined) return undefined
  if (assignedTo === 'none') return isNull(contacts.assignedTo)
  return eq(contacts.assignedTo, assignedTo === 'me' ? (ctx.actor.userId ?? '') : assignedTo)
}

/** Matches contacts that have any, or all, of the tags. Unknown tags match no contact. */
function tagFilter(ctx: Ctx, names: string[], mode: 'any' | 'all'): SQL | undefined {
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
const hasTag = (ctx: Pick<Ctx, 'organizationId'>, condition: SQL | undefined): SQL =>
  sql`exists (select 1 from ${contactTags} where ${inOrganization(ctx, contactTags, eq(contactTags.contactId, contacts.id), condition)})`
