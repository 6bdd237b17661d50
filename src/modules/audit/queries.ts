import { and, asc, count, desc, eq, gte, inArray, lt, sql, sum, type SQL } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { InvalidError, NotFoundError } from '../../lib/errors'
import { spanOf } from '../../lib/local-day'
import { inOrderOf, longPage, readCursor, stretchOf, type LongPage } from '../../lib/page'
import { looksLikePhone, maskPhonesIn } from '../../lib/phone'
import { holds, inOrganization, type Ctx } from '../../infra/ctx'
import { beyond } from '../../infra/keyset'
import { through } from '../../infra/through'
import { organizations } from '../organizations/table'
import type { AuditEntry } from './model'
import type { FieldChange } from './service'
import { auditCounts, auditLogs } from './table'

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
  return { isMasked: settings?.masks === true && !holds(ctx.actor, 'contacts:unmask'), timezone: settings?.timezone ?? 'UTC' }
}

/**
 * A page of the organization's audit log, newest first. The entries are found in an index alone; only those shown are read. Throws
 * InvalidError for a time that is none.
 */
export function listAudit(ctx: Ctx, query: AuditQuery): LongPage<AuditEntry> {
  const reading = readingOf(ctx)
  const way = wayTo(ctx, query, between(query, reading.timezone))
  const total = query.cursor === undefined ? countedOf(ctx, query) : null
  const places = total === null ? placesFrom(ctx, way, query) : placesOf(ctx, way, { total, ...query })
  return longPage(places, query, {
    view: (shown) =>
      entriesOf(
        ctx,
        shown.map(({ id }) => id),
        reading,
      ),
    placeOf: (place) => ({ value: place.createdAtMs, id: place.id }),
    total: () => total ?? ctx.db.orm.select({ rows: count() }).from(way.source).where(way.filter).get()?.rows ?? 0,
  })
}

/** The places of a page, and one more when there is one, from its cursor or its number on. */
const placesFrom = (ctx: Ctx, { source, filter }: Way, { cursor, page, limit }: AuditQuery): Position[] =>
  ctx.db.orm
    .select(PLACE)
    .from(source)
    .where(
      and(
        filter,
        cursor === undefined ? undefined : beyond({ value: auditLogs.createdAtMs, id: auditLogs.id }, readCursor(cursor), 'desc'),
      ),
    )
    .orderBy(desc(auditLogs.createdAtMs), desc(auditLogs.id))
    .limit(limit + 1)
    .offset(cursor === undefined ? (page - 1) * limit : 0)
    .all()

/** The same for a page of a list that is known to have so many entries, which is come to from the nearer end. */
function placesOf(ctx: Ctx, { source, filter }: Way, { total, page, limit }: { total: number; page: number; limit: number }): Position[] {
  const stretch = stretchOf(total, { page, limit, more: 1 })
  const inOrder = stretch.isFromEnd ? asc : desc
  const places = ctx.db.orm
    .select(PLACE)
    .from(source)
    .where(filter)
    .orderBy(inOrder(auditLogs.createdAtMs), inOrder(auditLogs.id))
    .limit(stretch.limit)
    .offset(stretch.offset)
    .all()
  return inOrderOf(stretch, places)
}

/** How many entries there are, from what triggers keep; `null` when that does not tell. */
function countedOf(ctx: Ctx, query: AuditQuery): number | null {
  const isCounted = [query.resource_id, query.from, query.to, query.api_key_id && query.user_id].every((asked) => asked === undefined)
  if (!isCounted || searchedIn(query) !== '') return null
  const counted = inOrganization(
    ctx,
    auditCounts,
    eq(auditCounts.actor, query.user_id ?? query.api_key_id ?? ''),
    query.action === undefined ? undefined : eq(auditCounts.action, query.action),
    query.resource_type === undefined ? undefined : eq(auditCounts.resourceType, query.resource_type),
  )
  return (
    ctx.db.orm
      .select({ entries: sum(auditCounts.entries).mapWith(Number) })
      .from(auditCounts)
      .where(counted)
      .get()?.entries ?? 0
  )
}

const searchedIn = (query: AuditQuery): string => query.search?.trim().toLowerCase() ?? ''

/** What is asked to be equal, the rarest values first, and the index of each, which is in the order of the list and holds what may be asked besides. */
const EQUALS = [
  ['resource_id', auditLogs.resourceId, 'audit_logs_resource'],
  ['api_key_id', auditLogs.apiKeyId, 'audit_logs_key'],
  ['user_id', auditLogs.userId, 'audit_logs_user'],
  ['action', auditLogs.action, 'audit_logs_action'],
  ['resource_type', auditLogs.resourceType, 'audit_logs_type'],
] as const

/** Where an entry stands in the list. */
const PLACE = { id: sql<string>`${auditLogs.id}`, createdAtMs: sql<number>`${auditLogs.createdAtMs}` }

interface Position {
  id: string
  createdAtMs: number
}

/** The entries asked for, and the one index that finds them. */
interface Way {
  source: SQL
  filter: SQL
}

/** The index that finds what is asked for is that of the rarest value asked for, else that of the words, else that of all. */
function wayTo(ctx: Ctx, query: AuditQuery, time: SQL | undefined): Way {
  const asked = EQUALS.flatMap(([name, column, index]) => {
    const wanted = query[name]
    return wanted === undefined ? [] : [{ index, condition: eq(column, wanted) }]
  })
  const search = searchedIn(query)
  const words = search === '' ? undefined : sql`instr(${auditLogs.words}, ${search}) > 0`
  return {
    source: through(auditLogs, asked[0]?.index ?? (words ? 'audit_logs_words' : 'audit_logs_recent')),
    filter: inOrganization(ctx, auditLogs, ...asked.map(({ condition }) => condition), time, words),
  }
}

function between(query: AuditQuery, timezone: string): SQL | undefined {
  const read = (name: 'from' | 'to') => {
    const written = query[name]
    if (written === undefined) return null
    const span = spanOf(written, timezone)
    if (!span) throw badTime(name, 'must be a date (YYYY-MM-DD) or a time (ISO 8601 with offset)')
    return span
  }
  const from = read('from')
  const to = read('to')
  if (from && to && from.fromMs >= to.beforeMs) throw badTime('to', 'must not be before from')
  return and(from ? gte(auditLogs.createdAtMs, from.fromMs) : undefined, to ? lt(auditLogs.createdAtMs, to.beforeMs) : undefined)
}

const badTime = (name: string, message: string): InvalidError =>
  new InvalidError(`query.${name}: ${message}.`, { code: 'invalid_input', errors: [{ path: `query.${name}`, message }] })

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
