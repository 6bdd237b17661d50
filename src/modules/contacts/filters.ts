import { and, eq, gte, inArray, isNotNull, isNull, lt, sql, type SQL } from 'drizzle-orm'

import type { Candidates } from '../../infra/bounded-list'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { contactsByTags, contactsOfUser, namedTags, smallestOf } from './search/candidates'
import { findContacts, type Found } from './search/query'
import { conditionOfSegment } from './segment-filter'
import { contacts, contactTags } from './table'
import { isVisibleRow, seesAll } from './visibility'
import type { ContactRow } from './view'

/** Which contacts are meant; what is left out lets all pass. */
export interface ContactFilters {
  search?: string | undefined
  accountId?: string | undefined
  /** A user id, `me` or `none`. */
  assignedTo?: string | undefined
  /** Ids or names of tags. */
  tags?: string[] | undefined
  tagsMode?: 'any' | 'all' | undefined
  consent?: ContactRow['marketingConsent'] | undefined
  isBlocked?: boolean | undefined
  hasPhone?: boolean | undefined
  /** Epoch milliseconds, the first one within and the second one beyond the span. */
  createdFromMs?: number | undefined
  createdBeforeMs?: number | undefined
  segmentId?: string | undefined
  /** Whatever else is asked. */
  condition?: SQL | undefined
}

/** What the search among the filters means; `null` without one. */
export const foundBy = (ctx: Ctx, { search }: Pick<ContactFilters, 'search'>): Found | null =>
  search === undefined ? null : findContacts(ctx, search)

/**
 * The condition that cuts a query on contacts to live ones that the caller sees and that pass the
 * filters. It is asked of each row alone, so it costs the same however many contacts there are; a
 * query with it must read a bounded number of rows.
 */
export const contactsWhere = (
  ctx: Ctx,
  filters: ContactFilters,
  found: Found | null = foundBy(ctx, filters),
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
 * The smallest set of contacts that holds all that pass the filters, of those an index tells;
 * `null` when none does.
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

/** The contacts a caller sees who does not see all. */
export const ownCandidates = (ctx: Ctx): Candidates | null =>
  seesAll(ctx.actor) ? null : contactsOfUser(ctx, ctx.actor.userId ?? '')

function assignedFilter(ctx: Ctx, assignedTo: string | undefined): SQL | undefined {
  if (assignedTo === undefined) return undefined
  if (assignedTo === 'none') return isNull(contacts.assignedTo)
  return eq(contacts.assignedTo, assignedTo === 'me' ? (ctx.actor.userId ?? '') : assignedTo)
}

/**
 * Contacts that carry one of the tags, or all of them; nobody carries a tag that does not exist.
 */
function tagFilter(ctx: Ctx, wanted: string[], mode: 'any' | 'all'): SQL | undefined {
  if (wanted.length === 0) return sql`0`
  const groups = mode === 'all' ? wanted.map((one) => [one]) : [wanted]
  return and(
    ...groups.map((group) =>
      carries(
        ctx,
        inArray(
          contactTags.tagId,
          namedTags(ctx, group).map(({ id }) => id),
        ),
      ),
    ),
  )
}

/** The condition that a contact carries a tag of which something is true. */
const carries = (ctx: Pick<Ctx, 'organizationId'>, condition: SQL | undefined): SQL =>
  sql`exists (select 1 from ${contactTags} where ${inOrganization(ctx, contactTags, eq(contactTags.contactId, contacts.id), condition)})`
