import { and, count, desc, eq, gte, inArray, lt, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { fieldSentence, InvalidError, NotFoundError } from '../../lib/errors'
import { timeSpanOf } from '../../lib/local-day'
import { longPage, readCursor, type LongPage, type CursorKey } from '../../lib/page'
import { looksLikePhone, maskPhonesIn } from '../../lib/phone'
import {
  FEW_CANDIDATES,
  readBounded,
  type BoundedList,
  type SortPlace,
} from '../../infra/bounded-list'
import { hasPermission, hasIdIn, inOrganization, type Ctx } from '../../infra/ctx'
import { afterKey } from '../../infra/keyset-pagination'
import { through } from '../../infra/db/index-hint'
import { organizations } from '../organizations/table'
import type { AuditEntry } from './model'
import type { FieldChange } from './record'
import { entriesWithText } from './search-index'
import { auditLogs } from './table'

type AuditRow = typeof auditLogs.$inferSelect

/** Which entries are shown. */
export interface AuditQuery {
  page: number
  limit: number
  cursor?: string | undefined
  resource_type?: string | undefined
  resource_id?: string | undefined
  user_id?: string | undefined
  api_key_id?: string | undefined
  action?: string | undefined
  /** A day of the organization's calendar, or an instant. */
  from?: string | undefined
  to?: string | undefined
  search?: string | undefined
}

/** What the organization's settings mean for its audit log. */
interface Reading {
  isMasked: boolean
  timezone: string
}

function readingOf(ctx: Ctx): Reading {
  const settings = ctx.db.orm
    .select({ masks: organizations.maskPhoneNumbers, timezone: organizations.timezone })
    .from(organizations)
    .where(eq(organizations.id, ctx.organizationId))
    .get()
  return {
    isMasked: settings?.masks === true && !hasPermission(ctx.actor, 'contacts:unmask'),
    timezone: settings?.timezone ?? 'UTC',
  }
}

/** Entries are counted up to this number; a longer list has no total. */
const MAX_COUNTED = 10_000

/** An entry in the list. */
interface Position {
  id: string
  createdAtMs: number
}

/**
 * A page of the organization's audit log, newest first. The entries are found in an index alone;
 * only the entries of the page are read. `total` is `null` beyond 10,000 entries and for searches
 * that find too many to count. Throws InvalidError for a bad time or cursor.
 */
export async function listAudit(ctx: Ctx, query: AuditQuery): Promise<LongPage<AuditEntry>> {
  const reading = readingOf(ctx)
  const list = listOf(ctx, query, between(query, reading.timezone))
  const isLongSearch = list.text !== '' && countUpTo(ctx, list, FEW_CANDIDATES) > FEW_CANDIDATES
  const { places, total } = isLongSearch
    ? await searchPage(ctx, list, query)
    : { places: plainPage(ctx, list, query), total: () => countOf(ctx, list) }
  return longPage(places, query, {
    view: (shown) =>
      entriesOf(
        ctx,
        shown.map(({ id }) => id),
        reading,
      ),
    cursorKeyOf: (place) => ({ value: place.createdAtMs, id: place.id }),
    total,
  })
}

/**
 * The filters that compare with one value, the rarest values first, each with its index. The
 * indices are in the order of the list and hold the columns of the other filters.
 */
const EQUALS = [
  ['resource_id', auditLogs.resourceId, 'audit_logs_resource'],
  ['api_key_id', auditLogs.apiKeyId, 'audit_logs_key'],
  ['user_id', auditLogs.userId, 'audit_logs_user'],
  ['action', auditLogs.action, 'audit_logs_action'],
  ['resource_type', auditLogs.resourceType, 'audit_logs_type'],
] as const

/** The entries of a query: the index that finds them, its filters, and the text to search for. */
interface List {
  source: SQL
  filter: SQL
  text: string
  hasText: SQL
}

function listOf(ctx: Ctx, query: AuditQuery, span: Span): List {
  const asked = EQUALS.flatMap(([name, column, index]) => {
    const wanted = query[name]
    return wanted === undefined ? [] : [{ index, condition: eq(column, wanted) }]
  })
  const text = query.search?.trim().toLowerCase() ?? ''
  const ofAll = text === '' ? 'audit_logs_recent' : 'audit_logs_words'
  return {
    source: through(auditLogs, asked[0]?.index ?? ofAll),
    filter: inOrganization(
      ctx,
      auditLogs,
      ...asked.map(({ condition }) => condition),
      inSpan(span),
    ),
    text,
    hasText: text === '' ? sql`true` : sql`instr(${auditLogs.words}, ${text}) > 0`,
  }
}

/** How many entries pass the filters, whatever their text, counted up to one more than `most`. */
const countUpTo = (ctx: Ctx, { source, filter }: Pick<List, 'source' | 'filter'>, most: number) =>
  ctx.db.orm
    .select({ rows: count() })
    .from(
      ctx.db.orm
        .select({ one: sql`1`.as('one') })
        .from(source)
        .where(filter)
        .limit(most + 1)
        .as('some'),
    )
    .get()?.rows ?? 0

/** How many entries are in the list; `null` for more than 10,000. */
function countOf(ctx: Ctx, { source, filter, hasText }: List): number | null {
  const rows = countUpTo(
    ctx,
    { source, filter: inOrganization(ctx, auditLogs, filter, hasText) },
    MAX_COUNTED,
  )
  return rows > MAX_COUNTED ? null : rows
}

const SORT_KEY = { value: auditLogs.createdAtMs, id: auditLogs.id }
const NEWEST_FIRST = [desc(auditLogs.createdAtMs), desc(auditLogs.id)]
const ID = sql<string>`${auditLogs.id}`
const CREATED_AT = sql<number>`${auditLogs.createdAtMs}`

/** A page and one entry more, read from the index; offsets are passed over one by one. */
const plainPage = (
  ctx: Ctx,
  { source, filter, hasText }: List,
  { cursor, page, limit }: AuditQuery,
): Position[] =>
  ctx.db.orm
    .select({ id: ID, createdAtMs: CREATED_AT })
    .from(source)
    .where(
      and(
        filter,
        hasText,
        cursor === undefined ? undefined : afterKey(SORT_KEY, readCursor(cursor), 'desc'),
      ),
    )
    .orderBy(...NEWEST_FIRST)
    .limit(limit + 1)
    .offset(cursor === undefined ? (page - 1) * limit : 0)
    .all()

/** The same for a text in many entries: they are looked at in slices of a few milliseconds. */
async function searchPage(
  ctx: Ctx,
  list: List,
  { cursor, page, limit }: AuditQuery,
): Promise<{ places: Position[]; total: number | null }> {
  const part = await readBounded(ctx, entriesInOrder(ctx, list), {
    after: cursor === undefined ? null : readCursor(cursor),
    offset: cursor === undefined ? (page - 1) * limit : 0,
    rows: limit + 1,
    candidates: entriesWithText(ctx, list.text),
  })
  const places = part.places.map(({ id, value }) => ({ id, createdAtMs: Number(value) }))
  return { places, total: part.total }
}

function entriesInOrder(ctx: Ctx, { source, filter, hasText }: List): BoundedList {
  // Without its indices the table is searched by row number, which is what finds a few entries.
  const among = ctx.db.orm
    .select({ id: ID, value: CREATED_AT })
    .from(sql`${auditLogs} not indexed`)
    .where(inOrganization(ctx, auditLogs, hasIdIn(auditLogs.row), filter, hasText))
    .prepare()
  return {
    order: 'desc',
    walk: (after, limit) =>
      ctx.db.orm
        .select({ id: ID, value: CREATED_AT, fits: sql<number>`${hasText}` })
        .from(source)
        .where(and(filter, after === null ? undefined : afterKey(SORT_KEY, placeOf(after), 'desc')))
        .orderBy(...NEWEST_FIRST)
        .limit(limit)
        .all(),
    among: (rows) => among.all({ ids: JSON.stringify(rows.map(Number)) }),
  }
}

const placeOf = ({ value, id }: SortPlace): CursorKey => ({ value: Number(value), id })

/** The times that are asked for, epoch milliseconds. */
interface Span {
  fromMs: number | null
  beforeMs: number | null
}

const inSpan = ({ fromMs, beforeMs }: Span): SQL | undefined =>
  and(
    fromMs === null ? undefined : gte(auditLogs.createdAtMs, fromMs),
    beforeMs === null ? undefined : lt(auditLogs.createdAtMs, beforeMs),
  )

function between(query: AuditQuery, timezone: string): Span {
  const read = (name: 'from' | 'to') => {
    const written = query[name]
    if (written === undefined) return null
    const span = timeSpanOf(written, timezone)
    if (!span) throw badTime(name, 'must be a date (YYYY-MM-DD) or an ISO 8601 time with offset')
    return span
  }
  const from = read('from')
  const to = read('to')
  if (from && to && from.fromMs >= to.beforeMs) throw badTime('to', 'must not be before `from`')
  return { fromMs: from?.fromMs ?? null, beforeMs: to?.beforeMs ?? null }
}

const badTime = (name: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(name, message), {
    code: 'invalid_input',
    errors: [{ path: `query.${name}`, message }],
  })

function entriesOf(ctx: Ctx, ids: string[], reading: Reading): AuditEntry[] {
  if (ids.length === 0) return []
  const rows = ctx.db.orm
    .select()
    .from(auditLogs)
    .where(inOrganization(ctx, auditLogs, inArray(auditLogs.id, ids)))
    .all()
  // An order asked of the database here would lead it through the whole log by time.
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? []).map((row) => entryView(row, reading.isMasked))
}

/** One entry of the organization's audit log. Throws NotFoundError. */
export function getAudit(ctx: Ctx, id: string): AuditEntry {
  const [entry] = entriesOf(ctx, [id], readingOf(ctx))
  if (!entry) throw new NotFoundError('Audit log entry')
  return entry
}

function entryView(row: AuditRow, isMasked: boolean): AuditEntry {
  // The numbers of an account are the organization's own.
  const shown = isMasked && row.resourceType !== 'account' ? masked : <T>(value: T): T => value
  return {
    id: row.id,
    organization_id: row.organizationId,
    actor_type: row.actorType,
    user_id: row.userId,
    user_name: row.userName,
    api_key_id: row.apiKeyId,
    action: row.action,
    resource_type: row.resourceType,
    resource_id: row.resourceId,
    resource_name: shown(row.resourceName),
    changes: (JSON.parse(row.changes) as FieldChange[]).map(({ field, old_value, new_value }) => ({
      field,
      old_value: shown(old_value),
      new_value: shown(new_value),
    })),
    ip_address: row.ipAddress,
    user_agent: row.userAgent,
    request_id: row.requestId,
    created_at: isoTime(row.createdAtMs),
  }
}

/** A value with every phone number in it masked, however deep. */
function masked<T>(value: T): T
function masked(value: unknown): unknown {
  if (typeof value === 'string') return looksLikePhone(value) ? maskPhonesIn(value) : value
  if (Array.isArray(value)) return value.map(masked)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner)]))
}
