import { and, asc, count, desc, eq, gte, inArray, lt, sql, sum, type SQL } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { InvalidError, NotFoundError } from '../../lib/errors'
import { spanOf } from '../../lib/local-day'
import { inOrderOf, longPage, readCursor, stretchOf, type LongPage } from '../../lib/page'
import { looksLikePhone, maskPhonesIn } from '../../lib/phone'
import { equals, inOrganization, type Ctx } from '../../infra/ctx'
import { afterKey } from '../../infra/keyset-pagination'
import { resultOf } from '../../infra/kept-texts'
import {
  beginsWith,
  endsWith,
  findTexts,
  isOnPage,
  madeAt,
  timeBehind,
  type LineFilter,
} from '../../infra/text-blocks'
import { through } from '../../infra/db/index-hint'
import { organizations } from '../organizations/table'
import type { AuditEntry } from './model'
import type { FieldChange } from './record'
import { auditCounts, auditLogs, auditTexts } from './table'

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
    isMasked: settings?.masks === true && !equals(ctx.actor, 'contacts:unmask'),
    timezone: settings?.timezone ?? 'UTC',
  }
}

/**
 * A page of the organization's audit log, newest first. The entries are found in an index alone;
 * only those shown are read. Throws InvalidError for a time that is none.
 */
export function listAudit(ctx: Ctx, query: AuditQuery): LongPage<AuditEntry> {
  const reading = readingOf(ctx)
  const span = between(query, reading.timezone)
  const way = wayTo(ctx, query, span)
  const { total } = way
  const places =
    total === null || query.cursor !== undefined
      ? placesFrom(ctx, way, query)
      : placesOf(ctx, way, { total, ...query })
  return longPage(places, query, {
    view: (shown) =>
      entriesOf(
        ctx,
        shown.map(({ id }) => id),
        reading,
      ),
    placeOf: (place) => ({ value: place.createdAtMs, id: place.id }),
    total: () => total ?? countOf(ctx, way, { query, span }),
  })
}

/**
 * How many entries are asked for where no counter tells it; while none comes or goes they are not
 * counted again for each page.
 */
function countOf(
  ctx: Ctx,
  { source, filter }: Way,
  { query, span }: { query: AuditQuery; span: Span },
): number {
  const { page: _page, limit: _limit, cursor: _cursor, from: _from, to: _to, ...asked } = query
  const find = (): number =>
    ctx.db.orm.select({ rows: count() }).from(source).where(filter).get()?.rows ?? 0
  return resultOf(ctx, auditTexts, JSON.stringify([asked, span]), find)
}

/** The places of a page, and one more when there is one, from its cursor or its number on. */
const placesFrom = (
  ctx: Ctx,
  { source, filter }: Way,
  { cursor, page, limit }: AuditQuery,
): Position[] =>
  ctx.db.orm
    .select(PLACE)
    .from(source)
    .where(
      and(
        filter,
        cursor === undefined
          ? undefined
          : afterKey(
              { value: auditLogs.createdAtMs, id: auditLogs.id },
              readCursor(cursor),
              'desc',
            ),
      ),
    )
    .orderBy(desc(auditLogs.createdAtMs), desc(auditLogs.id))
    .limit(limit + 1)
    .offset(cursor === undefined ? (page - 1) * limit : 0)
    .all()

/**
 * The same for a page of a list that is known to have so many entries, which is come to from the
 * nearer end.
 */
function placesOf(
  ctx: Ctx,
  { source, filter, skip }: Way,
  { total, page, limit }: { total: number; page: number; limit: number },
): Position[] {
  const stretch =
    skip === undefined
      ? stretchOf(total, { page, limit, more: 1 })
      : { offset: skip, limit: limit + 1, isFromEnd: false }
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

/**
 * How many entries a list without a search has, from what triggers keep; `null` when that does not
 * tell.
 */
function totalOf(ctx: Ctx, query: AuditQuery): number | null {
  const isOfTime = query.from !== undefined || query.to !== undefined
  return isOfTime || query.resource_id !== undefined ? null : countedOf(ctx, query)
}

/**
 * How many entries there are of a person or a key, an action and a kind, at any time; `null` when
 * both a person and a key are asked for.
 */
function countedOf(
  ctx: Ctx,
  { user_id, api_key_id, action, resource_type }: AuditQuery,
): number | null {
  if (user_id !== undefined && api_key_id !== undefined) return null
  const counted = inOrganization(
    ctx,
    auditCounts,
    eq(auditCounts.actor, user_id ?? api_key_id ?? ''),
    action === undefined ? undefined : eq(auditCounts.action, action),
    resource_type === undefined ? undefined : eq(auditCounts.resourceType, resource_type),
  )
  return (
    ctx.db.orm
      .select({ entries: sum(auditCounts.entries).mapWith(Number) })
      .from(auditCounts)
      .where(counted)
      .get()?.entries ?? 0
  )
}

/**
 * What is asked to be equal, the rarest values first, and the index of each, which is in the order
 * of the list and holds what may be asked besides.
 */
const EQUALS = [
  ['resource_id', auditLogs.resourceId, 'audit_logs_resource'],
  ['api_key_id', auditLogs.apiKeyId, 'audit_logs_key'],
  ['user_id', auditLogs.userId, 'audit_logs_user'],
  ['action', auditLogs.action, 'audit_logs_action'],
  ['resource_type', auditLogs.resourceType, 'audit_logs_type'],
] as const

/** Where an entry stands in the list. */
const PLACE = {
  id: sql<string>`${auditLogs.id}`,
  createdAtMs: sql<number>`${auditLogs.createdAtMs}`,
}

interface Position {
  id: string
  createdAtMs: number
}

/** The entries asked for, the one index that finds them, and how many they are. */
interface Way {
  source: SQL
  filter: SQL
  /** How many they are, when it is known before they are read. */
  total: number | null
  /** Where only those of the page are asked for: how many others come before it. */
  skip?: number
}

/**
 * The index that finds what is asked for is that of the rarest value asked for, else that of the
 * words, else that of all.
 */
function wayTo(ctx: Ctx, query: AuditQuery, span: Span): Way {
  const asked = EQUALS.flatMap(([name, column, index]) => {
    const wanted = query[name]
    return wanted === undefined ? [] : [{ index, condition: eq(column, wanted) }]
  })
  const filter = inOrganization(
    ctx,
    auditLogs,
    ...asked.map(({ condition }) => condition),
    inSpan(span),
  )
  const index = asked[0]?.index
  const text = query.search?.trim().toLowerCase() ?? ''
  if (text === '')
    return {
      source: through(auditLogs, index ?? 'audit_logs_recent'),
      filter,
      total: totalOf(ctx, query),
    }
  const searched = inOrganization(
    ctx,
    auditLogs,
    filter,
    sql`instr(${auditLogs.words}, ${text}) > 0`,
  )
  const inOrder = {
    source: through(auditLogs, index ?? 'audit_logs_words'),
    filter: searched,
    total: null,
  }
  if (query.resource_id !== undefined || (countedOf(ctx, query) ?? 0) <= FEW_ENTRIES) return inOrder
  const isCounted = query.user_id === undefined && query.api_key_id === undefined
  const { page, limit, cursor } = query
  const {
    count: hits,
    timesMs,
    onPage,
  } = findTexts(ctx, auditTexts, text, {
    filter: isAskedFor(query, span),
    isFewOnly: !isCounted || cursor !== undefined,
    ...(isCounted && cursor === undefined
      ? { page: { order: 'newest', offset: (page - 1) * limit, limit: limit + 1 } }
      : {}),
  })
  if (onPage) {
    const shown = inOrganization(
      ctx,
      auditLogs,
      searched,
      isOnPage(onPage, { createdAtMs: auditLogs.createdAtMs, text: auditLogs.words }),
    )
    return { ...inOrder, filter: shown, total: hits, skip: onPage.skip }
  }
  if (timesMs === null) return { ...inOrder, total: isCounted ? hits : null }
  const few = inOrganization(ctx, auditLogs, searched, madeAt(auditLogs.createdAtMs, timesMs))
  return { ...inOrder, filter: few, total: isCounted ? hits : null }
}

/**
 * So many entries are looked at one by one when a text is searched in them; more are searched in
 * blocks.
 */
const FEW_ENTRIES = 1_000

/**
 * Whether the line of an entry, with the facts kind and action, is of the action, kind and time
 * asked for.
 */
function isAskedFor(
  { action, resource_type }: AuditQuery,
  { fromMs, beforeMs }: Span,
): LineFilter | undefined {
  const kind = resource_type === undefined ? null : `${resource_type.toUpperCase()} `
  const ending = action === undefined ? null : ` ${action.toUpperCase()}`
  if (kind === null && ending === null && fromMs === null && beforeMs === null) return undefined
  return {
    name: JSON.stringify([kind, ending, fromMs, beforeMs]),
    isWanted: (lines, end) =>
      (ending === null || endsWith(lines, end, ending)) &&
      (kind === null || beginsWith(lines, end, kind)) &&
      (fromMs === null || timeBehind(lines, end) >= fromMs) &&
      (beforeMs === null || timeBehind(lines, end) < beforeMs),
  }
}

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
    const span = spanOf(written, timezone)
    if (!span) throw badTime(name, 'must be a date (YYYY-MM-DD) or a time (ISO 8601 with offset)')
    return span
  }
  const from = read('from')
  const to = read('to')
  if (from && to && from.fromMs >= to.beforeMs) throw badTime('to', 'must not be before from')
  return { fromMs: from?.fromMs ?? null, beforeMs: to?.beforeMs ?? null }
}

const badTime = (name: string, message: string): InvalidError =>
  new InvalidError(`query.${name}: ${message}.`, {
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
