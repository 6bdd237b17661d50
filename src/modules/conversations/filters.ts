import { and, eq, gt, inArray, isNull, lte, not, or, sql, type SQL } from 'drizzle-orm'

import { HOUR_MS } from '../../lib/clock'
import { idsAmong } from '../../lib/ids'
import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Found } from '../contacts/search/query'
import { contacts, contactTags } from '../contacts/table'
import { WINDOW_MS } from '../contacts/view'
import { isVisibleRow, visibleTo } from '../contacts/visibility'
import { tagKey } from '../tags/service'
import { tags } from '../tags/table'
import type { ConversationRow } from './row'
import { conversations } from './table'

/** Which conversations are meant. */
export interface ConversationFilter {
  states?: ConversationRow['state'][] | undefined
  accountId?: string | undefined
  /** A user id, `me` or `none`. */
  assignedTo?: string | undefined
  teamId?: string | undefined
  /** Ids or names, any of which the contact carries. */
  tags?: string[] | undefined
  unread?: boolean | undefined
  window?: 'open' | 'closed' | 'closing' | undefined
  /** What finds the contact: part of a name, or a number in any form. */
  search?: string | undefined
}

/** A window that ends in less than this is closing, milliseconds. */
const CLOSING_MS = 2 * HOUR_MS

/**
 * The condition for the conversations meant, of contacts the caller sees; the states are left to
 * who reads them.
 */
export const matching = (ctx: Ctx, filter: ConversationFilter): SQL | undefined =>
  and(visibleTo(ctx, conversations.contactId), chosenBy(ctx, filter))

/**
 * The same condition, with states and the search, for queries that look at each conversation of a
 * bounded number: it is asked of the row alone. The contact is not deleted.
 */
export const fitting = (ctx: Ctx, filter: ConversationFilter, found: Found | null): SQL =>
  sql`exists (select 1 from ${contacts} where ${inOrganization(ctx, contacts, eq(contacts.id, conversations.contactId), isNull(contacts.deletedAtMs), isVisibleRow(ctx))}) and ${
    and(
      chosenBy(ctx, filter),
      filter.states === undefined ? undefined : inArray(conversations.state, filter.states),
      found?.matches(conversations.contactId),
    ) ?? sql`1`
  }`

const chosenBy = (ctx: Ctx, filter: ConversationFilter): SQL | undefined =>
  and(
    filter.accountId === undefined ? undefined : eq(conversations.accountId, filter.accountId),
    assignedFilter(ctx, filter.assignedTo),
    filter.teamId === undefined ? undefined : sql`false`, // there are no teams yet
    filter.tags === undefined ? undefined : taggedWith(ctx, filter.tags),
    // Without a value to bind, so that the index of what is unread fits.
    filter.unread === true ? sql`${conversations.unreadCount} > 0` : undefined,
    windowFilter(ctx, filter.window),
  )

function assignedFilter(ctx: Ctx, assignedTo: string | undefined): SQL | undefined {
  if (assignedTo === undefined) return undefined
  if (assignedTo === 'none') return isNull(conversations.assignedTo)
  return eq(conversations.assignedTo, assignedTo === 'me' ? (ctx.actor.userId ?? '') : assignedTo)
}

function windowFilter(ctx: Ctx, window: ConversationFilter['window']): SQL | undefined {
  if (window === undefined) return undefined
  const closedAtMs = ctx.clock.nowMs() - WINDOW_MS
  // The platform may have said since that it is closed.
  const isToldClosed = lte(
    conversations.lastInboundAtMs,
    sql`coalesce(${conversations.windowClosedAtMs}, -1)`,
  )
  if (window === 'closed')
    return or(
      isNull(conversations.lastInboundAtMs),
      lte(conversations.lastInboundAtMs, closedAtMs),
      isToldClosed,
    )
  const isOpen = and(gt(conversations.lastInboundAtMs, closedAtMs), not(isToldClosed))
  return window === 'open'
    ? isOpen
    : and(isOpen, sql`${conversations.lastInboundAtMs} < ${closedAtMs + CLOSING_MS}`)
}

/**
 * Contacts with so many carriers or fewer are looked up by the tag; beyond it each conversation is
 * asked for its contact's tags.
 */
const FEW_CARRIERS = 2_000

function taggedWith(ctx: Ctx, wanted: string[]): SQL {
  const found = ctx.db.orm
    .select({ id: tags.id, carriers: tags.contactCount })
    .from(tags)
    .where(
      inOrganization(
        ctx,
        tags,
        or(inArray(tags.id, idsAmong(wanted)), inArray(tags.nameKey, wanted.map(tagKey))),
      ),
    )
    .all()
  const ids = found.map(({ id }) => id)
  if (ids.length === 0) return sql`false`
  const carried = inOrganization(ctx, contactTags, inArray(contactTags.tagId, ids))
  const carriers = found.reduce((sum, tag) => sum + tag.carriers, 0)
  if (carriers <= FEW_CARRIERS)
    return inArray(
      conversations.contactId,
      ctx.db.orm.select({ id: contactTags.contactId }).from(contactTags).where(carried),
    )
  return sql`exists (select 1 from ${contactTags} where ${carried} and ${contactTags.contactId} = ${conversations.contactId})`
}
