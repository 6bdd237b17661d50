import { and, count, eq, gte, inArray, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { InvalidError } from '../../../lib/errors'
import { readCursor, type CursorKey } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { afterKey } from '../../../infra/keyset-pagination'
import { callPreview, callStatus } from '../../../platform/call-summary'
import { findCalls } from '../../channel/calls/find'
import type { CallRow } from '../../channel/calls/row'
import { calls } from '../../channel/calls/table'
import { callContent } from '../../channel/calls/view'
import { historyFromMs } from '../contacts/sight/visible-history'
import { requireVisibleContact } from '../contacts/sight/visibility'
import { conversations } from '../conversations/table'
import { findMedia } from '../../channel/media/store'
import { mediaSummary } from '../../channel/media/view'
import type { ThreadItem } from './model'
import {
  countMessages,
  listMessages,
  matching,
  messageViews,
  shownColumns,
  threadPage,
  type Filter,
  type MessageQuery,
  type ThreadPage,
} from './queries'
import { messages } from './table'

/**
 * Returns a page of a contact's messages and calls; page 1 holds the newest. Throws NotFoundError
 * and InvalidError.
 */
export function listThread(ctx: Ctx, contactId: string, wanted: MessageQuery): ThreadPage {
  requireVisibleContact(ctx, contactId)
  const query = { ...wanted, fromMs: historyFromMs(ctx, contactId) }
  if ([query.before, query.after, query.cursor].filter((value) => value !== undefined).length > 1)
    throw new InvalidError('Send only one of `before`, `after` and `cursor`.', {
      code: 'invalid_input',
      errors: [{ path: 'query.before', message: 'cannot be combined with the others' }],
    })
  const place = placeOf(ctx, contactId, query)
  return mayHoldCalls(ctx, contactId, query)
    ? listWithCalls(ctx, contactId, query, place)
    : listMessages(ctx, contactId, query, place)
}

/** Returns the place from which a page is read, or `null` for a numbered page. */
function placeOf(ctx: Ctx, contactId: string, query: MessageQuery): CursorKey | null {
  if (query.cursor !== undefined) return readCursor(query.cursor)
  const id = query.before ?? query.after
  if (id === undefined) return null
  const message = ctx.db.orm
    .select({ id: messages.id, value: messages.timestampMs })
    .from(messages)
    .where(
      inOrganization(ctx, messages, and(eq(messages.id, id), eq(messages.contactId, contactId))),
    )
    .get()
  if (message) return message
  const call = findCalls(ctx, [id]).find((row) => row.contactId === contactId)
  if (call) return { id: call.id, value: call.timestampMs }
  const path = query.before === undefined ? 'query.after' : 'query.before'
  throw new InvalidError(`\`${path}\` is not a message of this contact.`, {
    code: 'invalid_input',
    errors: [{ path, message: 'is not a message of this contact' }],
  })
}

const matchingCalls = (contactId: string, { accountId, direction, fromMs }: Filter) =>
  and(
    fromMs === undefined ? undefined : gte(calls.timestampMs, fromMs),
    eq(calls.contactId, contactId),
    accountId === undefined ? undefined : eq(calls.accountId, accountId),
    direction === undefined ? undefined : eq(calls.direction, direction),
  )

/** Most threads have no calls and are read with a single query of messages. */
const mayHoldCalls = (ctx: Ctx, contactId: string, { type }: MessageQuery): boolean =>
  (type === undefined || type === 'call') &&
  ctx.db.orm
    .select({ id: calls.id })
    .from(calls)
    .where(inOrganization(ctx, calls, eq(calls.contactId, contactId)))
    .limit(1)
    .get() !== undefined

/** A place in a thread of messages and calls. */
interface Entry {
  id: string
  timestampMs: number
  isCall: number
}

function listWithCalls(
  ctx: Ctx,
  contactId: string,
  query: MessageQuery,
  place: CursorKey | null,
): ThreadPage {
  const order = query.after === undefined ? 'desc' : 'asc'
  const beyond = (table: typeof messages | typeof calls) =>
    place === null ? undefined : afterKey({ value: table.timestampMs, id: table.id }, place, order)
  const { orm } = ctx.db
  const entries: Entry[] = unionAll(
    orm
      .select({ id: messages.id, timestampMs: messages.timestampMs, isCall: sql<number>`0` })
      .from(messages)
      .where(inOrganization(ctx, messages, matching(contactId, query), beyond(messages))),
    orm
      .select({ id: calls.id, timestampMs: calls.timestampMs, isCall: sql<number>`1` })
      .from(calls)
      .where(inOrganization(ctx, calls, matchingCalls(contactId, query), beyond(calls))),
  )
    // By time, then by ID: the columns of both halves by their position.
    .orderBy(sql.raw(`2 ${order}`), sql.raw(`1 ${order}`))
    .limit(query.limit + 1)
    .offset(place === null ? (query.page - 1) * query.limit : 0)
    .all()
  return threadPage(entries, query, {
    isKeyed: place !== null,
    view: (shown) => itemsOf(ctx, contactId, shown),
    total: () => countMessages(ctx, contactId, query) + countCalls(ctx, contactId, query),
  })
}

/**
 * Returns a message or call of a contact with its filters, or `null` if it is not among the listed
 * ones. Does not check the visibility of the contact.
 */
export function findThreadItem(
  ctx: Ctx,
  contactId: string,
  { id, ...filter }: MessageQuery & { id: string },
): ThreadItem | null {
  const listed = { ...filter, fromMs: historyFromMs(ctx, contactId) }
  const message = inOrganization(
    ctx,
    messages,
    and(eq(messages.id, id), matching(contactId, listed)),
  )
  const call = inOrganization(ctx, calls, and(eq(calls.id, id), matchingCalls(contactId, listed)))
  const { orm } = ctx.db
  const found =
    orm.select({ id: messages.id }).from(messages).where(message).get() ??
    (listed.type === undefined || listed.type === 'call'
      ? orm
          .select({ id: calls.id, isCall: sql<number>`1` })
          .from(calls)
          .where(call)
          .get()
      : undefined)
  const entry = found && { isCall: 0, ...found, timestampMs: 0 }
  return entry ? (itemsOf(ctx, contactId, [entry])[0] ?? null) : null
}

const countCalls = (ctx: Ctx, contactId: string, filter: Filter): number =>
  ctx.db.orm
    .select({ rows: count() })
    .from(calls)
    .where(inOrganization(ctx, calls, matchingCalls(contactId, filter)))
    .get()?.rows ?? 0

/** Loads the messages and calls of a page, in its order. */
function itemsOf(ctx: Ctx, contactId: string, entries: Entry[]): ThreadItem[] {
  const idsOf = (isCall: number): string[] =>
    entries.filter((entry) => entry.isCall === isCall).map(({ id }) => id)
  const rows = ctx.db.orm
    .select(shownColumns())
    .from(messages)
    .where(inOrganization(ctx, messages, inArray(messages.id, idsOf(0))))
    .all()
  const items = [...messageViews(ctx, rows), ...callItems(ctx, contactId, findCalls(ctx, idsOf(1)))]
  const byId = new Map(items.map((item) => [item.id, item]))
  return entries.map(({ id }) => byId.get(id)).filter((item) => item !== undefined)
}

/** Returns calls in the form of messages. */
function callItems(ctx: Ctx, contactId: string, rows: CallRow[]): ThreadItem[] {
  const byAccount = new Map(
    ctx.db.orm
      .select({ id: conversations.id, accountId: conversations.accountId })
      .from(conversations)
      .where(inOrganization(ctx, conversations, eq(conversations.contactId, contactId)))
      .all()
      .map(({ id, accountId }) => [accountId, id]),
  )
  const recordings = rows.map(({ recordingMediaId }) => recordingMediaId)
  const files = new Map(
    findMedia(
      ctx,
      recordings.filter((id) => id !== null),
    ).map((file) => [file.id, file]),
  )
  return rows.flatMap((row) => {
    const conversationId = byAccount.get(row.accountId)
    const file = row.recordingMediaId === null ? undefined : files.get(row.recordingMediaId)
    return conversationId === undefined
      ? []
      : [callItem(row, conversationId, file && mediaSummary(file))]
  })
}

/** Returns a call in the form of a message. What only messages have is empty. */
function callItem(
  row: CallRow,
  conversationId: string,
  media: ThreadItem['media'] = null,
): ThreadItem {
  const isIncoming = row.direction === 'incoming'
  return {
    id: row.id,
    conversation_id: conversationId,
    contact_id: row.contactId,
    account_id: row.accountId,
    wa_message_id: null,
    direction: row.direction,
    type: 'call',
    content: callContent(row),
    status: callStatus(row),
    timestamp: isoTime(row.timestampMs),
    received_at: isoTime(row.createdAtMs),
    sent_at: null,
    delivered_at: null,
    read_at: isoTimeOrNull(row.readAtMs),
    played_at: null,
    failed_at: null,
    error: null,
    reply_to: null,
    context: null,
    referral: null,
    media,
    reactions: [],
    edited_at: null,
    revoked_at: null,
    preview: callPreview(row.direction, row.state),
    warnings: [],
    source: isIncoming ? 'contact' : 'other_app',
    observed: false,
    ai_generated: false,
    ai_model: null,
    sent_by: null,
    client_ref: null,
    campaign_id: null,
    direct: false,
    platform_template_id: null,
    template_name: null,
    resend_of: null,
    repeat_of: null,
    pricing: null,
    cost: null,
    created_at: isoTime(row.createdAtMs),
  }
}
