import { and, count, desc, eq, getTableColumns, gte, lt, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { fieldSentence, InvalidError } from '../../lib/errors'
import { timeSpanOf } from '../../lib/local-day'
import { BOM, csvLine, escapeFormula } from '../../lib/csv'
import { longPage, readCursor, type LongPage, type CursorKey } from '../../lib/page'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { readPageAfter } from '../../infra/keyset-pagination'
import type { Tx } from '../../infra/db/transact'
import { emit } from '../../infra/outbox/events'
import { holdsText, searchKey } from '../../infra/search-keys'
import { isObject, listOf } from '../../platform/lenient-json'
import { visibleTo } from '../contacts/visibility'
import { messages } from '../messages/table'
import { organizations } from '../organizations/table'
import { factsOf } from './definition'
import { FlowSubmitted } from './events'
import type { FlowResponseView } from './model'
import { flowOf } from './state'
import { flows } from './table'
import { flowResponses, flowTokens } from './sent-table'

/** A form that was sent, found by its token or by the message it went with. */
export interface SentFlow {
  token: string
  flowId: string
}

/**
 * The form a customer's answer belongs to: the one its token stands for, else the one of the
 * message it refers to; both only when they were sent from the same number to the same contact.
 * `null` when it is none of ours.
 */
export function findAnswered(
  ctx: Ctx,
  answer: { token: string | null; accountId: string; contactId: string; quotedId: string | null },
): SentFlow | null {
  const { token, quotedId, accountId, contactId } = answer
  const find = (condition: SQL): SentFlow | undefined =>
    ctx.db.orm
      .select({ token: flowTokens.token, flowId: flowTokens.flowId })
      .from(flowTokens)
      .innerJoin(
        messages,
        and(
          eq(messages.organizationId, flowTokens.organizationId),
          eq(messages.id, flowTokens.messageId),
        ),
      )
      .where(
        inOrganization(
          ctx,
          flowTokens,
          and(condition, eq(flowTokens.accountId, accountId), eq(messages.contactId, contactId)),
        ),
      )
      .limit(1)
      .get()
  return (
    (token === null ? undefined : find(eq(flowTokens.token, token))) ??
    (quotedId === null ? undefined : find(eq(flowTokens.messageId, quotedId))) ??
    null
  )
}

/** A customer's answer as it came. */
export interface Answer {
  messageId: string
  contactId: string
  sent: SentFlow | null
  data: Record<string, unknown> | null
  completedAtMs: number
  /**
   * Of before the number was connected, or worked off long after it happened: nothing may act on
   * it.
   */
  isLate: boolean
}

const MAX_WORDS_LENGTH = 20_000

/** What an answer is found by: its values. */
function wordsOf(data: Record<string, unknown> | null): string {
  const values: string[] = []
  const collect = (value: unknown, depth: number): void => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      values.push(String(value))
    else if (depth > 0)
      for (const inner of Array.isArray(value)
        ? listOf(value)
        : Object.values(isObject(value) ? value : {}))
        collect(inner, depth - 1)
  }
  const { flow_token: _token, ...answers } = data ?? {}
  collect(answers, 8)
  return searchKey(values.join('\n').slice(0, MAX_WORDS_LENGTH))
}

/**
 * Keeps a customer's answer to a form, in the transaction that stores its message. Of several
 * answers to one form the first counts, by the platform's time, in whichever order they arrive; one
 * to no form we know is kept without.
 */
export function recordResponseIn(
  tx: Tx,
  ctx: Ctx,
  { messageId, contactId, sent, data, completedAtMs, isLate }: Answer,
): void {
  const values = {
    flowId: sent?.flowId ?? null,
    messageId,
    data: data === null ? null : JSON.stringify(data),
    words: wordsOf(data),
    completedAtMs,
  }
  const known = sent && responseTo(ctx, sent.token)
  if (known) {
    const isEarlier =
      completedAtMs < known.completedAtMs ||
      (completedAtMs === known.completedAtMs && messageId < known.messageId)
    if (isEarlier)
      tx.update(flowResponses)
        .set(values)
        .where(inOrganization(ctx, flowResponses, eq(flowResponses.id, known.id)))
        .run()
    return
  }
  const id = ctx.ids.next()
  tx.insert(flowResponses)
    .values({
      organizationId: ctx.organizationId,
      id,
      token: sent?.token ?? null,
      ...values,
      createdAtMs: ctx.clock.nowMs(),
    })
    .run()
  if (sent)
    tx.update(flows)
      .set({ responseCount: sql`${flows.responseCount} + 1` })
      .where(inOrganization(ctx, flows, eq(flows.id, sent.flowId)))
      .run()
  const flowId = sent?.flowId ?? null
  emit(tx, ctx, FlowSubmitted, {
    contactId,
    payload: { responseId: id, messageId, contactId, flowId, ...(isLate ? { isLate } : {}) },
  })
}

const responseTo = (ctx: Ctx, token: string) =>
  ctx.db.orm
    .select({
      id: flowResponses.id,
      completedAtMs: flowResponses.completedAtMs,
      messageId: flowResponses.messageId,
    })
    .from(flowResponses)
    .where(inOrganization(ctx, flowResponses, eq(flowResponses.token, token)))
    .get()

/** Which answers are shown. */
export interface ResponseQuery {
  page: number
  limit: number
  cursor?: string | undefined
  contactId?: string | undefined
  /** A day of the organization's calendar, or an instant. */
  from?: string | undefined
  to?: string | undefined
  search?: string | undefined
}

const SHOWN = { ...getTableColumns(flowResponses), contactId: messages.contactId }
type ResponseRow = typeof flowResponses.$inferSelect & { contactId: string }

const KEY = { value: flowResponses.completedAtMs, id: flowResponses.id }

/** Throws InvalidError for a time that is none. */
function filterOf(
  ctx: Ctx,
  flowId: string,
  query: Omit<ResponseQuery, 'page' | 'limit' | 'cursor'>,
): SQL {
  const from = spanFor(ctx, 'from', query.from)
  const to = spanFor(ctx, 'to', query.to)
  if (from && to && from.fromMs >= to.beforeMs) throw badTime('to', 'must not be before `from`')
  return inOrganization(
    ctx,
    flowResponses,
    and(
      eq(flowResponses.flowId, flowId),
      visibleTo(ctx, messages.contactId),
      query.contactId === undefined ? undefined : eq(messages.contactId, query.contactId),
      from ? gte(flowResponses.completedAtMs, from.fromMs) : undefined,
      to ? lt(flowResponses.completedAtMs, to.beforeMs) : undefined,
      query.search === undefined ? undefined : holdsText(flowResponses.words, query.search),
    ),
  )
}

function spanFor(ctx: Ctx, name: 'from' | 'to', written: string | undefined) {
  if (written === undefined) return null
  const organization = ctx.db.orm
    .select({ timezone: organizations.timezone })
    .from(organizations)
    .where(eq(organizations.id, ctx.organizationId))
    .get()
  const span = timeSpanOf(written, organization?.timezone ?? 'UTC')
  if (!span) throw badTime(name, 'must be a date (YYYY-MM-DD) or an ISO 8601 time with offset')
  return span
}

const badTime = (name: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(name, message), {
    code: 'invalid_input',
    errors: [{ path: `query.${name}`, message }],
  })

const ofMessage = and(
  eq(messages.organizationId, flowResponses.organizationId),
  eq(messages.id, flowResponses.messageId),
)

function readResponses(
  ctx: Ctx,
  filter: SQL,
  { limit, offset = 0 }: { limit: number; offset?: number },
): ResponseRow[] {
  return ctx.db.orm
    .select(SHOWN)
    .from(flowResponses)
    .innerJoin(messages, ofMessage)
    .where(inOrganization(ctx, flowResponses, filter))
    .orderBy(desc(flowResponses.completedAtMs), desc(flowResponses.id))
    .limit(limit)
    .offset(offset)
    .all()
}

/** The answers to a form of contacts the caller sees, the newest first. Throws NotFoundError. */
export function listResponses(
  ctx: Ctx,
  flowId: string,
  query: ResponseQuery,
): LongPage<FlowResponseView> {
  const place = query.cursor === undefined ? null : readCursor(query.cursor)
  const filter = filterOf(ctx, flowId, query)
  flowOf(ctx, flowId)
  const wanted = query.limit + 1
  const rows =
    place === null
      ? readResponses(ctx, filter, { limit: wanted, offset: (query.page - 1) * query.limit })
      : readPageAfter(KEY, { place, order: 'desc', limit: wanted }, (beyond, limit) =>
          readResponses(ctx, and(filter, beyond) ?? filter, { limit }),
        )
  return longPage(rows, query, {
    view: (shown) => shown.map(responseView),
    cursorKeyOf: (row): CursorKey => ({ value: row.completedAtMs, id: row.id }),
    total: () =>
      ctx.db.orm
        .select({ rows: count() })
        .from(flowResponses)
        .innerJoin(messages, ofMessage)
        .where(inOrganization(ctx, flowResponses, filter))
        .get()?.rows ?? 0,
  })
}

const responseView = (row: ResponseRow): FlowResponseView => ({
  id: row.id,
  contact_id: row.contactId,
  message_id: row.messageId,
  flow_token: row.token,
  data: row.data === null ? null : (JSON.parse(row.data) as Record<string, unknown>),
  completed_at: isoTime(row.completedAtMs),
})

/** Columns of their own for so many answers; what else there is stays out of a table. */
const MAX_COLUMNS = 200
const CSV_STEP = 250

/**
 * The answers to a form as the lines of a CSV file, made while they are read: one column per field
 * of the form, and per further key that occurs. Throws NotFoundError before the first line.
 */
export function responseLines(
  ctx: Ctx,
  flowId: string,
  query: Omit<ResponseQuery, 'page' | 'limit' | 'cursor'>,
): Iterator<string> {
  const flow = flowOf(ctx, flowId)
  const filter = filterOf(ctx, flowId, query)
  return linesOf(ctx, filter, keysOf(ctx, filter, factsOf(flow).fields))
}

/** The fields of the form, then the other keys of the answers. */
function keysOf(ctx: Ctx, filter: SQL, fields: string[]): string[] {
  const found = ctx.db.orm
    .selectDistinct({ key: sql<string>`answer.key` })
    .from(flowResponses)
    .innerJoin(messages, ofMessage)
    .innerJoin(sql`json_each(${flowResponses.data}) as answer`, sql`true`)
    .where(inOrganization(ctx, flowResponses, filter))
    .limit(MAX_COLUMNS)
    .all()
    .map(({ key }) => key)
  const known = new Set(found)
  const first = fields.filter((name) => known.has(name))
  return [
    ...first,
    ...found.filter((key) => !first.includes(key) && key !== 'flow_token').toSorted(),
  ]
}

function* linesOf(ctx: Ctx, filter: SQL, keys: string[]): Generator<string> {
  yield (
    BOM +
      csvLine(
        ['id', 'contact_id', 'message_id', 'flow_token', 'completed_at', ...keys].map(
          escapeFormula,
        ),
      )
  )
  let place: CursorKey | null = null
  for (;;) {
    const at: CursorKey | null = place
    const rows: ResponseRow[] =
      at === null
        ? readResponses(ctx, filter, { limit: CSV_STEP })
        : readPageAfter(KEY, { place: at, order: 'desc', limit: CSV_STEP }, (beyond, limit) =>
            readResponses(ctx, and(filter, beyond) ?? filter, { limit }),
          )
    if (rows.length === 0) return
    yield rows.map((row) => csvLine(cellsOf(row, keys).map(escapeFormula))).join('')
    const last: ResponseRow | undefined = rows.at(-1)
    if (rows.length < CSV_STEP || !last) return
    place = { value: last.completedAtMs, id: last.id }
  }
}

function cellsOf(row: ResponseRow, keys: string[]): string[] {
  const view = responseView(row)
  const cells = keys.map((key) => {
    const value = view.data?.[key]
    if (value === undefined || value === null) return ''
    return typeof value === 'object'
      ? JSON.stringify(value)
      : String(value as string | number | boolean)
  })
  return [
    view.id,
    view.contact_id,
    view.message_id,
    view.flow_token ?? '',
    view.completed_at,
    ...cells,
  ]
}
