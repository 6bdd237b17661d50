import { and, asc, count, desc, eq, getTableColumns, gte, sql, type SQL } from 'drizzle-orm'

import { ForbiddenError, NotFoundError } from '../../../lib/errors'
import {
  numberedPage,
  totalAtEnd,
  writeCursor,
  type LongPage,
  type CursorKey,
} from '../../../lib/page'
import { anyScope, hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place, uuidsIn } from '../../../infra/db/compiled'
import { afterKey } from '../../../infra/keyset-pagination'
import { isShownHistory } from '../contacts/sight/visible-history'
import { isVisibleIn, masksNumbers } from '../contacts/sight/visibility'
import type { MessageView, ThreadItem } from './model'
import { loadMessageParts } from './message-parts'
import { messages } from './table'
import { maskJson, messageView, type MessageRow, type ShownMessage } from './view'
import type { ReadCtx } from '../../../infra/read/read-ctx'

/** Selects messages of a contact: a page, or those before or after a message or cursor. */
export interface MessageQuery {
  page: number
  limit: number
  cursor?: string | undefined
  /** Message IDs: only older, or only newer messages. */
  before?: string | undefined
  after?: string | undefined
  /** ID of a message or call: it and those just before and after it. */
  around?: string | undefined
  accountId?: string | undefined
  direction?: MessageRow['direction'] | undefined
  type?: string | undefined
  /** Only what happened at this time or later, epoch milliseconds. */
  fromMs?: number | undefined
  /** Leaves out the total, which takes longest in long threads. */
  isUncounted?: boolean | undefined
}

/**
 * A page of messages and calls, oldest first. `has_more` tells whether there are more in the
 * reading direction; the other two are known for pages around a message only.
 */
export type ThreadPage = LongPage<ThreadItem> & {
  has_more: boolean
  has_more_before: boolean | null
  has_more_after: boolean | null
}

/** The columns that views are made of. */
export function shownColumns() {
  const {
    row: _row,
    organizationId: _organization,
    stage: _stage,
    heldReason: _reason,
    isSilent: _silent,
    sendOptions: _options,
    answeredAfterMs: _answered,
    raw: _raw,
    acceptedAtMs: _accepted,
    costCountry: _country,
    costMonth: _month,
    windowAtSend: _window,
    allowanceMonth: _allowance,
    ...shown
  } = getTableColumns(messages)
  return shown
}

/** The most frequent query: a page without filters. */
const newest = compiled((orm) =>
  orm
    .select(shownColumns())
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        eq(messages.contactId, place(messages.contactId, 'contactId')),
      ),
    )
    .orderBy(desc(messages.timestampMs), desc(messages.id))
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('offset'))
    .prepare(),
)

/**
 * Returns a page of a contact's messages without its calls; page 1 holds the newest. `place` is the
 * message or call from which the page is read. Does not check visibility.
 */
export function listMessages(
  ctx: Ctx,
  contactId: string,
  query: MessageQuery,
  place: CursorKey | null,
): ThreadPage {
  const filter = inOrganization(ctx, messages, matching(contactId, query))
  const isForward = query.after !== undefined
  const isPlain = [
    query.accountId,
    query.direction,
    query.type,
    query.before,
    query.after,
    query.cursor,
    query.fromMs,
  ].every((value) => value === undefined)
  const rows = isPlain
    ? newest(ctx.db).all({
        organizationId: ctx.organizationId,
        contactId,
        limit: query.limit + 1,
        offset: (query.page - 1) * query.limit,
      })
    : ctx.db.orm
        .select(shownColumns())
        .from(messages)
        .where(
          and(
            filter,
            place === null
              ? undefined
              : afterKey(
                  { value: messages.timestampMs, id: messages.id },
                  place,
                  isForward ? 'asc' : 'desc',
                ),
          ),
        )
        .orderBy(
          ...(isForward
            ? [asc(messages.timestampMs), asc(messages.id)]
            : [desc(messages.timestampMs), desc(messages.id)]),
        )
        .limit(query.limit + 1)
        .offset(place === null ? (query.page - 1) * query.limit : 0)
        .all()
  return threadPage(rows, query, {
    isKeyed: place !== null,
    view: (shown) => messageViews(ctx, shown),
    total: () => countMessages(ctx, contactId, query),
  })
}

/** Builds a page of a thread from its rows in reading order, of which one more than shown. */
export function threadPage<R extends { id: string; timestampMs: number }>(
  rows: R[],
  query: MessageQuery,
  options: { isKeyed: boolean; view: (rows: R[]) => ThreadItem[]; total: () => number },
): ThreadPage {
  const isForward = query.after !== undefined
  const has_more = rows.length > query.limit
  const shown = isForward ? rows.slice(0, query.limit) : rows.slice(0, query.limit).toReversed()
  const oldest = shown[0]
  const next_cursor =
    !isForward && has_more && oldest
      ? writeCursor({ value: oldest.timestampMs, id: oldest.id })
      : null
  const items = options.view(shown)
  const more = { has_more, has_more_before: null, has_more_after: null }
  if (options.isKeyed || query.isUncounted === true)
    return {
      items,
      total: null,
      page: null,
      limit: query.limit,
      total_pages: null,
      next_cursor,
      ...more,
    }
  const total = totalAtEnd(rows.length, query) ?? options.total()
  return { ...numberedPage(items, total, query), next_cursor, ...more }
}

/** Filters of a thread. */
export type Filter = Pick<MessageQuery, 'accountId' | 'direction' | 'type' | 'fromMs'>

/** Condition for the messages of a contact that match a filter. */
export const matching = (
  contactId: string,
  { accountId, direction, type, fromMs }: Filter,
): SQL | undefined =>
  and(
    eq(messages.contactId, contactId),
    accountId === undefined ? undefined : eq(messages.accountId, accountId),
    direction === undefined ? undefined : eq(messages.direction, direction),
    type === undefined ? undefined : eq(messages.type, type),
    fromMs === undefined ? undefined : gte(messages.timestampMs, fromMs),
  )

/** Number of messages of a contact that match a filter. */
export const countMessages = (ctx: Ctx, contactId: string, filter: Filter): number =>
  ctx.db.orm
    .select({ rows: count() })
    .from(messages)
    .where(inOrganization(ctx, messages, matching(contactId, filter)))
    .get()?.rows ?? 0

/** Returns message views with quoted messages, files and reactions. */
export function messageViews(ctx: ReadCtx, rows: ShownMessage[]): MessageView[] {
  const isMasked = masksNumbers(ctx)
  const parts = loadMessageParts(ctx, rows)
  return rows.map((row) => messageView(row, parts(row), isMasked))
}

/** Returns the message if the caller can see its contact. Throws NotFoundError. */
export function getMessage(ctx: Ctx, id: string): MessageView {
  const [view] = messageViews(ctx, [visibleMessage(ctx, id)])
  if (!view) throw new NotFoundError('Message')
  return view
}

/**
 * Returns a message with its raw platform item, if stored. Throws NotFoundError, and ForbiddenError
 * without accounts:update.
 */
export function getMessageWithRaw(ctx: Ctx, id: string): MessageView & { raw: unknown } {
  if (!hasPermission(ctx.actor, 'accounts:update'))
    throw new ForbiddenError('Raw items require the permission `accounts:update`.', {
      code: 'permission_denied',
    })
  const { raw } = visibleMessage(ctx, id)
  const shown = raw !== null && masksNumbers(ctx) ? maskJson(raw) : JSON.parse(raw ?? 'null')
  return { ...getMessage(ctx, id), raw: shown as unknown }
}

/** Returns the row of a message if the caller can see its contact. Throws NotFoundError. */
export function visibleMessage(ctx: Ctx, id: string): MessageRow {
  const row = ctx.db.orm
    .select()
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          eq(messages.id, id),
          isVisibleIn(ctx, messages.contactId),
          isShownHistory(ctx, { contactId: messages.contactId, atMs: messages.timestampMs }),
        ),
      ),
    )
    .get()
  if (!row) throw new NotFoundError('Message')
  return row
}

const messagesById = compiled((orm) =>
  orm
    .select()
    .from(messages)
    .where(
      inOrganization(anyScope, messages, sql`${messages.id} in ${uuidsIn(sql.placeholder('ids'))}`),
    )
    .prepare(),
)

/** Returns messages by ID. Does not check visibility. */
export const findMessages = (
  { db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>,
  ids: string[],
): MessageRow[] =>
  ids.length === 0 ? [] : messagesById(db).all({ organizationId, ids: JSON.stringify(ids) })
