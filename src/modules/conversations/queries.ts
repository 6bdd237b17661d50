import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../lib/clock'
import { NotFoundError } from '../../lib/errors'
import { maskNumbersIn, maskPhone, maskPhonesIn } from '../../lib/phone'
import { longPage, readCursor, totalAtEnd, type LongPage, type CursorKey } from '../../lib/page'
import { readBounded } from '../../infra/bounded-list'
import { hasIdIn, anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { readPageAfter } from '../../infra/keyset-pagination'
import { candidatesFor, foundBy } from '../contacts/filters'
import type { Found } from '../contacts/search/query'
import { contacts } from '../contacts/table'
import { tagsOf, type TagSummary } from '../contacts/tags'
import { displayNameOf, numbersOfContact, windowEndMs, type ContactRow } from '../contacts/view'
import { masksNumbers, seesAll, visibleTo } from '../contacts/visibility'
import { messages } from '../messages/table'
import { users } from '../users/table'
import { fitting, matching, type ConversationFilter } from './filters'
import type { ConversationCounts, ConversationView } from './model'
import type { ConversationRow } from './row'
import { conversationsInOrder, sumOverConversations } from './scan'
import { referralIn } from './service'
import { conversationCounts, conversations } from './table'
import { isWindowOpen } from './window'

/** Filters, order and page of a conversation list. */
export interface ConversationQuery extends ConversationFilter {
  page: number
  limit: number
  cursor?: string | undefined
  sort: keyof typeof SORTS
}

/** Sort columns; rows without a value come last. */
const SORTS = {
  last_message_at: { column: conversations.lastMessageAtMs, order: 'desc' },
  oldest_unanswered: { column: conversations.unansweredSinceMs, order: 'asc' },
} as const

const contactOf = and(
  eq(contacts.organizationId, conversations.organizationId),
  eq(contacts.id, conversations.contactId),
)

/** Returns the position of a conversation in the list. */
const placeIn = (row: ConversationRow, sort: ConversationQuery['sort']): CursorKey => ({
  value: sort === 'last_message_at' ? row.lastMessageAtMs : row.unansweredSinceMs,
  id: row.id,
})

/**
 * Returns a page of the conversations the caller can see, sorted by newest message or by longest
 * waiting time. A search with many results has no total.
 */
export async function listConversations(
  ctx: Ctx,
  query: ConversationQuery,
): Promise<LongPage<ConversationView>> {
  const after = query.cursor === undefined ? null : readCursor(query.cursor)
  const found = foundBy(ctx, query)
  const page =
    found === null
      ? await readAlong(ctx, query, after)
      : await readFound(ctx, query, { found, after })
  const rows = joinedRows(
    ctx,
    page.places.map(({ id }) => id),
  )
  const byId = new Map(rows.map((row) => [row.conversation.id, row]))
  const listed = page.places.map(({ id }) => byId.get(id)).filter((row) => row !== undefined)
  const isCounted =
    query.cursor === undefined && found === null && totalAtEnd(listed.length, query) === null
  return longPage(listed, query, {
    view: (shown) => views(ctx, shown),
    cursorKeyOf: ({ conversation }) => placeIn(conversation, query.sort),
    total: isCounted ? await totalOf(ctx, query) : page.total,
  })
}

interface ReadPage {
  places: Pick<CursorKey, 'id'>[]
  total: number | null
}

/** Reads a page along an index of the list. */
async function readAlong(
  ctx: Ctx,
  query: ConversationQuery,
  after: CursorKey | null,
): Promise<ReadPage> {
  const sort = SORTS[query.sort]
  const filter = matching(ctx, query)
  const rowLimit = query.limit + 1
  const read = (condition: SQL | undefined, limit: number, offset = 0): CursorKey[] =>
    placesIn(ctx, query, and(filter, condition), { limit, offset })
  if (after !== null)
    return {
      places: readPageAfter(
        { value: sort.column, id: conversations.id },
        { place: after, order: sort.order, limit: rowLimit },
        read,
      ),
      total: null,
    }
  const countWith = (): Promise<number> =>
    countFitting(ctx, and(fitting(ctx, query, null), isNotNull(sort.column)) ?? sql`1`)
  const offset = (query.page - 1) * query.limit
  return {
    places: await readNumberedPage(read, { sort, rowLimit, offset, countWith }),
    total: null,
  }
}

/** Reads a page of search results. */
async function readFound(
  ctx: Ctx,
  query: ConversationQuery,
  at: { found: Found; after: CursorKey | null },
): Promise<ReadPage> {
  const { column, order } = SORTS[query.sort]
  const list = conversationsInOrder(ctx, { column, order }, fitting(ctx, query, at.found))
  const offset = query.cursor === undefined ? (query.page - 1) * query.limit : 0
  const candidates = candidatesFor(ctx, { tags: query.tags }, at.found)
  return await readBounded(ctx, list, {
    after: at.after,
    offset,
    rows: query.limit + 1,
    candidates,
  })
}

/** Reads a page by its number: rows with a sort value first, then those without. */
async function readNumberedPage(
  read: (condition: SQL | undefined, limit: number, offset: number) => CursorKey[],
  at: {
    sort: (typeof SORTS)[keyof typeof SORTS]
    rowLimit: number
    offset: number
    countWith: () => Promise<number>
  },
): Promise<CursorKey[]> {
  if (at.sort.order === 'desc') return read(undefined, at.rowLimit, at.offset)
  const withValue = read(isNotNull(at.sort.column), at.rowLimit, at.offset)
  if (withValue.length >= at.rowLimit) return withValue
  const skipped = withValue.length > 0 || at.offset === 0 ? 0 : at.offset - (await at.countWith())
  return [...withValue, ...read(isNull(at.sort.column), at.rowLimit - withValue.length, skipped)]
}

/** Splits a query into one condition per state, so that each is one range of an index. */
function statesOf({ states }: ConversationQuery): (SQL | undefined)[] {
  if (states === undefined || states.length === conversations.state.enumValues.length)
    return [undefined]
  return states.map((state) => eq(conversations.state, state))
}

function placesIn(
  ctx: Ctx,
  query: ConversationQuery,
  filter: SQL | undefined,
  at: { limit: number; offset: number },
): CursorKey[] {
  const { column, order } = SORTS[query.sort]
  const direction = order === 'asc' ? asc : desc
  const branches = statesOf(query)
  const readBranch = (state: SQL | undefined, limit: number, offset: number): CursorKey[] =>
    ctx.db.orm
      .select({ value: column, id: conversations.id })
      .from(conversations)
      .innerJoin(contacts, contactOf)
      .where(inOrganization(ctx, conversations, filter, state, isNull(contacts.deletedAtMs)))
      .orderBy(direction(column), direction(conversations.id))
      .limit(limit)
      .offset(offset)
      .all()
  if (branches.length === 1) return readBranch(branches[0], at.limit, at.offset)
  const merged = branches
    .flatMap((state) => readBranch(state, at.offset + at.limit, 0))
    .toSorted(before(order))
  return merged.slice(at.offset, at.offset + at.limit)
}

/** Compares positions in the order of the database. */
const before =
  (order: 'asc' | 'desc') =>
  (a: CursorKey, b: CursorKey): number => {
    const byValue = (a.value ?? -Infinity) - (b.value ?? -Infinity) || 0
    const ascending = byValue || (a.id < b.id ? -1 : 1)
    return order === 'asc' ? ascending : -ascending
  }

/**
 * Returns the condition on the stored counts that equals a filter, or `null` if the counts do not
 * cover it. They are stored by phone number, assignee and state.
 */
function countedFor(ctx: Ctx, filter: ConversationFilter): { condition: SQL | undefined } | null {
  const { tags, window, search, teamId, accountId, assignedTo } = filter
  if (!seesAll(ctx.actor) || [tags, window, search, teamId].some((value) => value !== undefined))
    return null
  const assignee =
    assignedTo === 'none' ? '' : assignedTo === 'me' ? (ctx.actor.userId ?? '-') : assignedTo
  const condition = and(
    accountId === undefined ? undefined : eq(conversationCounts.accountId, accountId),
    assignee === undefined ? undefined : eq(conversationCounts.assignedTo, assignee),
    filter.states === undefined ? undefined : inArray(conversationCounts.state, filter.states),
    filter.unread === true ? gt(conversationCounts.unread, 0) : undefined,
  )
  return { condition }
}

async function totalOf(ctx: Ctx, query: ConversationFilter): Promise<number> {
  const counted = countedFor(ctx, query)
  if (counted === null) return await countFitting(ctx, fitting(ctx, query, null))
  const column =
    query.unread === true ? conversationCounts.unread : conversationCounts.conversations
  return (
    ctx.db.orm
      .select({ rows: sql<number>`coalesce(sum(${column}), 0)` })
      .from(conversationCounts)
      .where(inOrganization(ctx, conversationCounts, counted.condition))
      .get()?.rows ?? 0
  )
}

const countFitting = async (ctx: Ctx, filter: SQL): Promise<number> =>
  (await sumOverConversations(ctx, { filter, sums: {}, candidates: null })).rows

/**
 * Counts the conversations the caller can see by state, and those that are the caller's own,
 * unassigned and unread.
 */
export async function countConversations(
  ctx: Ctx,
  filter: ConversationFilter,
): Promise<ConversationCounts> {
  const known = countedFor(ctx, filter)
  if (known !== null) return sumOfCounts(ctx, known.condition, filter.unread === true)
  const found = foundBy(ctx, filter)
  const sums = {
    open: sql`(${conversations.state} = 'open')`,
    pending: sql`(${conversations.state} = 'pending')`,
    snoozed: sql`(${conversations.state} = 'snoozed')`,
    closed: sql`(${conversations.state} = 'closed')`,
    mine: sql`(${conversations.assignedTo} is ${ctx.actor.userId})`,
    unassigned: sql`(${conversations.assignedTo} is null)`,
    unread: sql`(${conversations.unreadCount} > 0)`,
  }
  const { rows: _rows, ...counts } = await sumOverConversations(ctx, {
    sums,
    filter: fitting(ctx, filter, found),
    candidates: candidatesFor(ctx, { tags: filter.tags }, found),
  })
  return counts
}

const NO_CONVERSATIONS: ConversationCounts = {
  open: 0,
  pending: 0,
  snoozed: 0,
  closed: 0,
  mine: 0,
  unassigned: 0,
  unread: 0,
}

function sumOfCounts(ctx: Ctx, known: SQL | undefined, isUnread: boolean): ConversationCounts {
  const rows = isUnread ? conversationCounts.unread : conversationCounts.conversations
  const sumIf = (condition: SQL): SQL<number> =>
    sql<number>`coalesce(sum(case when ${condition} then ${rows} end), 0)`
  const counted = ctx.db.orm
    .select({
      open: sumIf(eq(conversationCounts.state, 'open')),
      pending: sumIf(eq(conversationCounts.state, 'pending')),
      snoozed: sumIf(eq(conversationCounts.state, 'snoozed')),
      closed: sumIf(eq(conversationCounts.state, 'closed')),
      mine: sumIf(eq(conversationCounts.assignedTo, ctx.actor.userId ?? '-')),
      unassigned: sumIf(eq(conversationCounts.assignedTo, '')),
      unread: sql<number>`coalesce(sum(${conversationCounts.unread}), 0)`,
    })
    .from(conversationCounts)
    .where(inOrganization(ctx, conversationCounts, known))
    .get()
  return counted ?? NO_CONVERSATIONS
}

/** Returns the row of a conversation whose contact the caller can see. Throws NotFoundError. */
export function getVisibleConversation(ctx: Ctx, id: string): ConversationRow {
  const found = ctx.db.orm
    .select({ conversation: conversations })
    .from(conversations)
    .innerJoin(contacts, contactOf)
    .where(
      inOrganization(
        ctx,
        conversations,
        eq(conversations.id, id),
        isNull(contacts.deletedAtMs),
        visibleTo(ctx, conversations.contactId),
      ),
    )
    .get()
  if (!found) throw new NotFoundError('Conversation')
  return found.conversation
}

/** Returns a conversation whose contact the caller can see. Throws NotFoundError. */
export const getConversation = (ctx: Ctx, id: string): ConversationView =>
  viewOf(ctx, getVisibleConversation(ctx, id).id)

/**
 * Returns a conversation as the API shows it. Does not check visibility, because a caller that has
 * just reassigned it still gets a response. Throws NotFoundError.
 */
export function viewOf(ctx: Ctx, id: string): ConversationView {
  const [view] = views(ctx, joinedRows(ctx, [id]))
  if (!view) throw new NotFoundError('Conversation')
  return view
}

/** Columns of the newest message in the response. */
const LAST = {
  id: messages.id,
  direction: messages.direction,
  type: messages.type,
  preview: messages.preview,
  status: messages.status,
  timestampMs: messages.timestampMs,
}

const joined = compiled((orm) =>
  orm
    .select({
      conversation: conversations,
      contact: contacts,
      assignee: { id: users.id, full_name: users.fullName },
      last: LAST,
    })
    .from(conversations)
    .innerJoin(contacts, contactOf)
    .leftJoin(users, eq(users.id, conversations.assignedTo))
    .leftJoin(
      messages,
      and(
        eq(messages.organizationId, conversations.organizationId),
        eq(messages.id, conversations.lastMessageId),
      ),
    )
    .where(inOrganization(anyScope, conversations, hasIdIn(conversations.id)))
    .prepare(),
)

const joinedRows = (ctx: Ctx, ids: string[]) =>
  joined(ctx.db).all({ organizationId: ctx.organizationId, ids: JSON.stringify(ids) })

type Joined = ReturnType<typeof joinedRows>[number]

/** Returns conversations as the API shows them. Reads related rows for all of them at once. */
function views(ctx: Ctx, rows: Joined[]): ConversationView[] {
  const contactTags = tagsOf(ctx, [...new Set(rows.map(({ contact }) => contact.id))])
  const at = { isMasked: masksNumbers(ctx), nowMs: ctx.clock.nowMs() }
  return rows.map((row) => conversationView(row, contactTags.get(row.contact.id) ?? [], at))
}

/**
 * Returns the preview of the newest message, with the same masked numbers as in `messages/view.ts`.
 */
function previewOf(
  { type, preview }: { type: string; preview: string },
  contact: ContactRow,
  isMasked: boolean,
): string {
  if (!isMasked) return preview
  if (type === 'system') return maskPhonesIn(preview)
  return type === 'template' ? maskNumbersIn(preview, numbersOfContact(contact)) : preview
}

function conversationView(
  { conversation, contact, assignee, last }: Joined,
  contactTags: TagSummary[],
  at: { isMasked: boolean; nowMs: number },
): ConversationView {
  return {
    id: conversation.id,
    contact: {
      id: contact.id,
      display_name: displayNameOf(contact, at.isMasked),
      phone_number:
        at.isMasked && contact.phoneNumber !== null
          ? maskPhone(contact.phoneNumber)
          : contact.phoneNumber,
      avatar_url: null,
      tags: contactTags,
      blocked: contact.blockedAtMs !== null,
    },
    account_id: conversation.accountId,
    state: conversation.state,
    assigned_to: conversation.assignedTo,
    assigned_user: assignee,
    team_id: null,
    unread_count: conversation.unreadCount,
    last_message: last && {
      id: last.id,
      direction: last.direction,
      type: last.type,
      preview: previewOf(last, contact, at.isMasked),
      status: last.status,
      timestamp: isoTime(last.timestampMs),
    },
    last_inbound_at: isoTimeOrNull(conversation.lastInboundAtMs),
    window_expires_at: isoTimeOrNull(windowEndMs(conversation)),
    window_open: isWindowOpen(conversation, at.nowMs),
    snoozed_until: isoTimeOrNull(conversation.snoozedUntilMs),
    first_response_at: isoTimeOrNull(conversation.firstResponseAtMs),
    bot_active: false,
    priority: conversation.priority,
    closed_at: isoTimeOrNull(conversation.closedAtMs),
    created_at: isoTime(conversation.createdAtMs),
    updated_at: isoTime(conversation.updatedAtMs),
    first_referral: referralIn(conversation.firstReferral),
    last_referral: referralIn(conversation.lastReferral),
  }
}
