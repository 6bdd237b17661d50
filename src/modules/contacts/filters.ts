import { and, eq, gte, inArray, isNotNull, isNull, lt, or, sql, type SQL } from 'drizzle-orm'

import { idsAmong, isUuid } from '../../lib/ids'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { tagKey } from '../tags/service'
import { tags } from '../tags/table'
import { findContacts, type Found } from './search'
import { conditionOfSegment } from './segment-filter'
import { contacts, contactTags } from './table'
import { visibleTo } from './visibility'
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

/** What the search among the filters came to; `null` without one. */
export const foundBy = (ctx: Ctx, { search }: Pick<ContactFilters, 'search'>): Found | null =>
  search === undefined ? null : findContacts(ctx, search)

/** The condition that cuts a query on contacts to live ones that the caller sees and that pass the filters; who has searched already says what was found. */
export const contactsWhere = (ctx: Ctx, filters: ContactFilters, found: Found | null = foundBy(ctx, filters)): SQL =>
  inOrganization(
    ctx,
    contacts,
    isNull(contacts.deletedAtMs),
    visibleTo(ctx, contacts.id),
    filters.accountId === undefined ? undefined : eq(contacts.accountId, filters.accountId),
    assignedFilter(ctx, filters.assignedTo),
    filters.tags === undefined ? undefined : tagFilter(ctx, filters.tags, filters.tagsMode ?? 'any'),
    filters.consent === undefined ? undefined : eq(contacts.marketingConsent, filters.consent),
    filters.isBlocked === undefined ? undefined : (filters.isBlocked ? isNotNull : isNull)(contacts.blockedAtMs),
    filters.hasPhone === undefined ? undefined : (filters.hasPhone ? isNotNull : isNull)(contacts.phoneNumber),
    filters.createdFromMs === undefined ? undefined : gte(contacts.createdAtMs, filters.createdFromMs),
    filters.createdBeforeMs === undefined ? undefined : lt(contacts.createdAtMs, filters.createdBeforeMs),
    found?.among(contacts.id),
    filters.segmentId === undefined ? undefined : (conditionOfSegment(ctx, filters.segmentId) ?? sql`0`),
    filters.condition,
  )

function assignedFilter(ctx: Ctx, assignedTo: string | undefined): SQL | undefined {
  if (assignedTo === undefined) return undefined
  if (assignedTo === 'none') return isNull(contacts.assignedTo)
  return eq(contacts.assignedTo, assignedTo === 'me' ? (ctx.actor.userId ?? '') : assignedTo)
}

/** Contacts that carry one of the tags, or all of them; nobody carries a tag that does not exist. */
function tagFilter(ctx: Ctx, wanted: string[], mode: 'any' | 'all'): SQL | undefined {
  if (wanted.length === 0) return sql`0`
  const groups = mode === 'all' ? wanted.map((one) => [one]) : [wanted]
  return and(
    ...groups.map((group) => {
      const ids = idsAmong(group)
      const keys = group.filter((one) => !isUuid(one)).map(tagKey)
      const named = or(ids.length === 0 ? undefined : inArray(tags.id, ids), keys.length === 0 ? undefined : inArray(tags.nameKey, keys))
      const meant = ctx.db.orm
        .select({ id: tags.id })
        .from(tags)
        .where(inOrganization(ctx, tags, named))
      const carriers = ctx.db.orm
        .select({ id: contactTags.contactId })
        .from(contactTags)
        .where(inOrganization(ctx, contactTags, inArray(contactTags.tagId, meant)))
      return inArray(contacts.id, carriers)
    }),
  )
}
