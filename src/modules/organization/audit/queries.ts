import { and, desc, eq, gte, inArray, lt, sql, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { fieldSentence, InvalidError, NotFoundError } from '../../../lib/errors'
import { timeSpanOf } from '../../../lib/local-day'
import { longPage, readCursor, type LongPage } from '../../../lib/page'
import { looksLikePhone, maskPhonesIn } from '../../../lib/phone'
import { hasPermission, inOrganization } from '../../../infra/ctx'
import { afterKey } from '../../../infra/keyset-pagination'
import { withIndex } from '../../../infra/db/index-hint'
import { totalOf } from '../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { organizations } from '../organizations/table'
import type { AuditEntry } from './model'
import type { FieldChange } from './record'
import { rowsWithText } from './search-index'
import { auditLogs } from './table'

type AuditRow = typeof auditLogs.$inferSelect

/** Filters of the audit log. */
export interface AuditFilter {
  resource_type?: string | undefined
  resource_id?: string | undefined
  user_id?: string | undefined
  api_key_id?: string | undefined
  action?: string | undefined
  /** A day in the organization's time zone, or a point in time. */
  from?: string | undefined
  to?: string | undefined
  search?: string | undefined
}

/** Filters and page of the audit log. */
export interface AuditQuery extends AuditFilter {
  page: number
  limit: number
  cursor?: string | undefined
}

/** The organization's settings for its audit log. */
interface LogSettings {
  isMasked: boolean
  timezone: string
}

function settingsOf(ctx: ReadCtx): LogSettings {
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

/** Position of an entry in the list. */
interface Position {
  id: string
  createdAtMs: number
}

/**
 * Returns a page of the organization's audit log, newest first. Finds the entries in a covering
 * index and reads only those of the page. `total` is `null` beyond 10,000 entries. Throws
 * InvalidError for a bad time or cursor.
 */
export function auditPage(ctx: ReadCtx, query: AuditQuery): LongPage<AuditEntry> {
  const settings = settingsOf(ctx)
  const list = matchingEntries(ctx, query, settings)
  return longPage(placesIn(ctx, list, query), query, {
    view: (shown) =>
      entriesOf(
        ctx,
        shown.map(({ id }) => id),
        settings,
      ),
    cursorKeyOf: (place) => ({ value: place.createdAtMs, id: place.id }),
    total: () =>
      totalOf(
        ctx,
        ctx.db.orm
          .select({ one: sql`1` })
          .from(list.source)
          .where(list.filter),
      ),
  })
}

/**
 * Equality filters, most selective first, each with its index. Each index has the order of the list
 * and covers the other filters.
 */
const EQUALITY_FILTERS = [
  ['resource_id', auditLogs.resourceId, 'audit_logs_resource'],
  ['api_key_id', auditLogs.apiKeyId, 'audit_logs_key'],
  ['user_id', auditLogs.userId, 'audit_logs_user'],
  ['action', auditLogs.action, 'audit_logs_action'],
  ['resource_type', auditLogs.resourceType, 'audit_logs_type'],
] as const

/** A query's entries: where they are read, and the test of each. */
export interface EntryList {
  source: SQL
  filter: SQL
}

/** Returns the entries that match a filter. Throws InvalidError for a bad time. */
export function matchingEntries(
  ctx: ReadCtx,
  query: AuditFilter,
  { timezone }: LogSettings = settingsOf(ctx),
): EntryList {
  const span = between(query, timezone)
  const equals = EQUALITY_FILTERS.flatMap(([name, column, index]) => {
    const wanted = query[name]
    return wanted === undefined ? [] : [{ index, condition: eq(column, wanted) }]
  })
  const text = query.search?.trim().toLowerCase() ?? ''
  const ofAll = text === '' ? 'audit_logs_recent' : 'audit_logs_words'
  const filter = inOrganization(
    ctx,
    auditLogs,
    ...equals.map(({ condition }) => condition),
    inSpan(span),
    text === '' ? undefined : sql`instr(${auditLogs.words}, ${text}) > 0`,
  )
  const rows = equals.length === 0 ? rowsWithText(ctx, text) : null
  // Without its other indexes, SQLite finds the few entries by row number.
  return rows === null
    ? { source: withIndex(auditLogs, equals[0]?.index ?? ofAll), filter }
    : {
        source: sql`${auditLogs} not indexed`,
        filter: sql`${auditLogs.row} in (${rows}) and ${filter}`,
      }
}

const SORT_KEY = { value: auditLogs.createdAtMs, id: auditLogs.id }
const NEWEST_FIRST = [desc(auditLogs.createdAtMs), desc(auditLogs.id)]
const ID = sql`${auditLogs.id}`.mapWith(auditLogs.id)
const CREATED_AT = sql<number>`${auditLogs.createdAtMs}`

/** Reads a page and one more entry. An offset skips entries one by one. */
const placesIn = (
  ctx: ReadCtx,
  { source, filter }: EntryList,
  { cursor, page, limit }: AuditQuery,
): Position[] =>
  ctx.db.orm
    .select({ id: ID, createdAtMs: CREATED_AT })
    .from(source)
    .where(
      and(
        filter,
        cursor === undefined ? undefined : afterKey(SORT_KEY, readCursor(cursor), 'desc'),
      ),
    )
    .orderBy(...NEWEST_FIRST)
    .limit(limit + 1)
    .offset(cursor === undefined ? (page - 1) * limit : 0)
    .all()

/** A time range, epoch milliseconds. */
interface Span {
  fromMs: number | null
  beforeMs: number | null
}

const inSpan = ({ fromMs, beforeMs }: Span): SQL | undefined =>
  and(
    fromMs === null ? undefined : gte(auditLogs.createdAtMs, fromMs),
    beforeMs === null ? undefined : lt(auditLogs.createdAtMs, beforeMs),
  )

function between(query: AuditFilter, timezone: string): Span {
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

function entriesOf(ctx: ReadCtx, ids: string[], settings: LogSettings): AuditEntry[] {
  if (ids.length === 0) return []
  const rows = ctx.db.orm
    .select()
    .from(auditLogs)
    .where(inOrganization(ctx, auditLogs, inArray(auditLogs.id, ids)))
    .all()
  // Sorted here, because with `order by` SQLite would read the whole log by time.
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? []).map((row) => entryView(row, settings.isMasked))
}

/** Returns an entry of the organization's audit log. Throws NotFoundError. */
export function getAuditEntry(ctx: ReadCtx, id: string): AuditEntry {
  const [entry] = entriesOf(ctx, [id], settingsOf(ctx))
  if (!entry) throw new NotFoundError('Audit log entry')
  return entry
}

function entryView(row: AuditRow, isMasked: boolean): AuditEntry {
  // Phone numbers of accounts are the organization's own and are not masked.
  const shown = isMasked && row.resourceType !== 'account' ? maskPhones : <T>(value: T): T => value
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

/** Returns a value with every phone number in it masked, at any depth. */
function maskPhones<T>(value: T): T
function maskPhones(value: unknown): unknown {
  if (typeof value === 'string') return looksLikePhone(value) ? maskPhonesIn(value) : value
  if (Array.isArray(value)) return value.map(maskPhones)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskPhones(inner)]))
}
