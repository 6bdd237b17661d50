import { and, eq, gt, inArray, isNotNull, isNull, lte, not, or, sql, type SQL } from 'drizzle-orm'

import { HOUR_MS } from '../../../lib/clock'
import { validIds } from '../../../lib/ids'
import { hasPermission, inOrganization } from '../../../infra/ctx'
import { isFew, type ListSource } from '../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { sourceFor } from '../contacts/list/filters'
import type { Search } from '../contacts/search/query'
import { contactMerges, contacts, contactTags } from '../contacts/table'
import { WINDOW_MS } from '../contacts/view'
import { isVisibleRow } from '../contacts/sight/visibility'
import { transfers } from '../../automation/transfers/table'
import { campaignRecipients } from '../../outreach/campaigns/table'
import { notifications } from '../../organization/notifications/table'
import { messages } from '../messages/table'
import { activeTeamsOf } from '../teams/find'
import { teamMembers } from '../teams/table'
import { tags } from '../tags/table'
import { tagKey } from '../tags/queries'
import type { ConversationRow } from './row'
import { conversations } from './table'

/** Answers of people: when the customers began to wait, and who answered. */
export interface AnsweredFilter {
  fromMs: number
  beforeMs: number
  /** The team of the person who answered. */
  teamId?: string | undefined
  /** The person who answered. */
  userId?: string | undefined
}

/** Filters of a conversation list. */
export interface ConversationFilter {
  states?: ConversationRow['state'][] | undefined
  accountId?: string | undefined
  contactId?: string | undefined
  /** A user ID, `me` or `none`. */
  assignedTo?: string | undefined
  teamId?: string | undefined
  /** IDs or names of tags, any of which the contact has. */
  tags?: string[] | undefined
  unread?: boolean | undefined
  window?: 'open' | 'closed' | 'closing' | undefined
  /** Waits in a queue from which the caller can take it. */
  waiting?: 'mine' | undefined
  /** The caller was told of a note about the contact that mentions them. */
  mentioned?: 'me' | undefined
  /** A person answered a customer who began to wait then. */
  answered?: AnsweredFilter | undefined
  /** The contact replied to this campaign. */
  campaignId?: string | undefined
  /** Search by the beginning of the contact's name, or by phone number in any format. */
  search?: string | undefined
}

/** A window that ends in less than this time counts as closing, in milliseconds. */
const CLOSING_MS = 2 * HOUR_MS

/**
 * Returns the condition for matching conversations of contacts the caller can see, with states and
 * search, evaluated row by row, for queries that read a bounded number of conversations. Excludes
 * deleted contacts.
 */
export const fitting = (ctx: ReadCtx, filter: ConversationFilter, search: Search | null): SQL =>
  sql`exists (select 1 from ${contacts} where ${inOrganization(ctx, contacts, eq(contacts.id, conversations.contactId), isNull(contacts.deletedAtMs), isVisibleRow(ctx))}) and ${
    and(
      chosenBy(ctx, filter),
      filter.states === undefined ? undefined : inArray(conversations.state, filter.states),
      search?.matches(conversations.contactId),
    ) ?? sql`1`
  }`

/**
 * Returns the contacts among which all matching conversations are found by index, or `null` if they
 * may be those of any contact.
 */
export function contactsFor(
  ctx: ReadCtx,
  filter: ConversationFilter,
  search: Search | null,
): ListSource | null {
  const { contactId, tags: names } = filter
  const column = conversations.contactId
  const [own] = ownContacts(ctx, filter)
  if (contactId === undefined && own) return { column, ids: own, isFew: isFew(ctx, own) }
  if (contactId === undefined) return sourceFor(ctx, { tags: names }, { column, search })
  return { column, ids: sql`${sql.param(contactId, conversations.contactId)}`, isFew: true }
}

/** Returns the condition of the filters, without states, search and visibility. */
export const chosenBy = (ctx: ReadCtx, filter: ConversationFilter): SQL | undefined =>
  and(
    filter.accountId === undefined ? undefined : eq(conversations.accountId, filter.accountId),
    filter.contactId === undefined ? undefined : eq(conversations.contactId, filter.contactId),
    assignedFilter(ctx, filter.assignedTo),
    filter.teamId === undefined ? undefined : eq(conversations.teamId, filter.teamId),
    filter.tags === undefined ? undefined : taggedWith(ctx, filter.tags),
    // Written without a parameter, so that the partial index of unread conversations applies.
    filter.unread === true ? sql`${conversations.unreadCount} > 0` : undefined,
    windowFilter(ctx, filter.window),
    ...ownContacts(ctx, filter).map((ids) => sql`${conversations.contactId} in (${ids})`),
    filter.answered === undefined
      ? undefined
      : sql`${conversations.id} in (${answersOf(ctx, filter.answered, messages.conversationId)})`,
    filter.waiting === undefined
      ? undefined
      : sql`exists (select 1 from ${transfers} where ${inOrganization(ctx, transfers, eq(transfers.contactId, conversations.contactId), eq(transfers.accountId, conversations.accountId), isWaiting)})`,
  )

/** The contacts of each filter that finds them by an index of something else. */
const ownContacts = (ctx: ReadCtx, filter: ConversationFilter): SQL[] => [
  ...(filter.waiting === undefined ? [] : [contactsInOwnQueues(ctx)]),
  ...(filter.mentioned === undefined ? [] : [contactsOfMentions(ctx)]),
  ...(filter.answered === undefined ? [] : [answersOf(ctx, filter.answered, messages.contactId)]),
  ...(filter.campaignId === undefined ? [] : [contactsWhoReplied(ctx, filter.campaignId)]),
]

/** Selects a column of the messages with which people answered, as reports on quality count them. */
function answersOf(
  ctx: ReadCtx,
  { fromMs, beforeMs, teamId, userId }: AnsweredFilter,
  column: typeof messages.contactId | typeof messages.conversationId,
): SQL {
  const beganAtMs = sql`(${messages.createdAtMs} - ${messages.answeredAfterMs})`
  const members = ctx.db.orm
    .select({ userId: teamMembers.userId })
    .from(teamMembers)
    .where(inOrganization(ctx, teamMembers, eq(teamMembers.teamId, teamId ?? '')))
  return sql`select ${column} from ${messages} where ${inOrganization(
    ctx,
    messages,
    sql`${messages.answeredAfterMs} is not null and ${beganAtMs} >= ${fromMs} and ${beganAtMs} < ${beforeMs}`,
    sql`${messages.source} = 'agent' and ${messages.sentBy} is not null and ${messages.isTest} = 0`,
    teamId === undefined ? undefined : inArray(messages.sentBy, members),
    userId === undefined ? undefined : eq(messages.sentBy, userId),
  )}`
}

const isWaiting = sql`${transfers.status} = 'active' and ${transfers.agentId} is null`

/** Selects the contacts who replied to a campaign. */
function contactsWhoReplied(ctx: ReadCtx, campaignId: string): SQL {
  const isSeen = hasPermission(ctx.actor, 'campaigns:read') ? undefined : sql`0`
  const replied = and(
    eq(campaignRecipients.campaignId, campaignId),
    isNotNull(campaignRecipients.repliedAtMs),
    isNotNull(campaignRecipients.contactId),
    isSeen,
  )
  return sql`select ${campaignRecipients.contactId} from ${campaignRecipients} where ${inOrganization(ctx, campaignRecipients, replied)}`
}

/** Selects the contacts that wait in a queue from which the caller can take them. */
function contactsInOwnQueues(ctx: ReadCtx): SQL {
  const teams = activeTeamsOf(ctx, ctx.actor.userId ?? '')
  const isOwn = hasPermission(ctx.actor, 'transfers:assign')
    ? undefined
    : hasPermission(ctx.actor, 'transfers:pickup')
      ? or(isNull(transfers.teamId), inArray(transfers.teamId, teams))
      : sql`0`
  return sql`select ${transfers.contactId} from ${transfers} where ${inOrganization(ctx, transfers, isWaiting, isOwn)}`
}

/**
 * Selects the contacts in whose notes the caller was mentioned, as the notifications say, and what
 * became of those that were merged since.
 */
function contactsOfMentions(ctx: ReadCtx): SQL {
  const told = inOrganization(
    ctx,
    notifications,
    eq(notifications.userId, ctx.actor.userId ?? ''),
    sql`${notifications.kind} = 'mention'`,
  )
  const linked = sql`select unhex(substr(${notifications.link}, ${sql.raw(String('/contacts/'.length + 1))}), '-') from ${notifications} where ${told}`
  const merged = inOrganization(
    ctx,
    contactMerges,
    isNull(contactMerges.undoneAtMs),
    sql`${contactMerges.sourceId} in (${linked})`,
  )
  return sql`${linked} union select ${contactMerges.targetId} from ${contactMerges} where ${merged}`
}

function assignedFilter(ctx: ReadCtx, assignedTo: string | undefined): SQL | undefined {
  if (assignedTo === undefined) return undefined
  if (assignedTo === 'none') return isNull(conversations.assignedTo)
  return eq(conversations.assignedTo, assignedTo === 'me' ? (ctx.actor.userId ?? '') : assignedTo)
}

/** Returns the condition that a conversation's window is in a state. */
export function windowFilter(ctx: ReadCtx, window: ConversationFilter['window']): SQL | undefined {
  if (window === undefined) return undefined
  const closedAtMs = ctx.clock.nowMs() - WINDOW_MS
  // The platform may have reported since then that the window is closed.
  const isReportedClosed = lte(
    conversations.lastInboundAtMs,
    sql`coalesce(${conversations.windowClosedAtMs}, -1)`,
  )
  if (window === 'closed')
    return or(
      isNull(conversations.lastInboundAtMs),
      lte(conversations.lastInboundAtMs, closedAtMs),
      isReportedClosed,
    )
  const isOpen = and(gt(conversations.lastInboundAtMs, closedAtMs), not(isReportedClosed))
  return window === 'open'
    ? isOpen
    : and(isOpen, sql`${conversations.lastInboundAtMs} < ${closedAtMs + CLOSING_MS}`)
}

/**
 * Tags with up to this many contacts are resolved to their contacts; for more, each conversation's
 * contact is tested.
 */
const MAX_RESOLVED_CARRIERS = 2_000

function taggedWith(ctx: ReadCtx, names: string[]): SQL {
  const found = ctx.db.orm
    .select({ id: tags.id, carriers: tags.contactCount })
    .from(tags)
    .where(
      inOrganization(
        ctx,
        tags,
        or(inArray(tags.id, validIds(names)), inArray(tags.nameKey, names.map(tagKey))),
      ),
    )
    .all()
  const ids = found.map(({ id }) => id)
  if (ids.length === 0) return sql`false`
  const carried = inOrganization(ctx, contactTags, inArray(contactTags.tagId, ids))
  const carriers = found.reduce((sum, tag) => sum + tag.carriers, 0)
  if (carriers <= MAX_RESOLVED_CARRIERS)
    return inArray(
      conversations.contactId,
      ctx.db.orm.select({ id: contactTags.contactId }).from(contactTags).where(carried),
    )
  return sql`exists (select 1 from ${contactTags} where ${carried} and ${contactTags.contactId} = ${conversations.contactId})`
}
