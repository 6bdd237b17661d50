import { and, asc, eq, exists, gt, gte, inArray, lt, sql, type SQL } from 'drizzle-orm'

import { BOM, csvLine } from '../../../lib/csv'
import { inOrganization } from '../../../infra/ctx'
import type { ReadPart } from '../../../infra/read/parts'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { contactsWhere } from '../../inbox/contacts/list/filters'
import { contacts } from '../../inbox/contacts/table'
import { isShownHistory, sightOf } from '../../inbox/contacts/sight/visible-history'
import { visibleTo } from '../../inbox/contacts/sight/visibility'
import { messages } from '../../inbox/messages/table'
import { csvText } from './cells'
import {
  contactColumns,
  MESSAGE_COLUMNS,
  TAG_COLUMNS,
  type Column,
  type ExportedContact,
} from './columns'
import { exportedMessages, type ExportedMessage } from './messages'
import type { ExportFilters } from './model'
import { optionsOf, type ExportOptions, type ExportRow } from './view'
import type { TagView } from '../../inbox/tags/model'
import { listTags } from '../../inbox/tags/queries'
import { contactViews } from '../../inbox/contacts/load-views'

/** Number of rows read, and at most returned, in one step. */
const LOOKED_AT = 1_000

const PAGE_OF_TAGS = 100

/** What a part of a file is read for. */
export interface ExportQuery {
  row: Pick<ExportRow, 'source' | 'format' | 'options'>
  baseUrl: string
  /** The part before; `null` for the first one. */
  last: ExportPart | null
}

/** Some lines of a file, and the columns that all of them have. */
export interface ExportPart extends ReadPart<string> {
  text: string
  rows: number
  keys: string[]
}

/** Rows of a table, and where the next ones begin. */
interface Rows<T> extends ReadPart<string> {
  rows: T[]
}

/** Returns the next lines of an export, those with headings first. */
export function nextLines(ctx: ReadCtx, query: ExportQuery): ExportPart {
  const options = optionsOf(query.row)
  const after = query.last?.next ?? ''
  if (query.row.source === 'tags') return partOf(query, TAG_COLUMNS, nextTags(ctx, options, after))
  return query.row.source === 'contacts'
    ? partOf(query, contactColumns(ctx), nextContacts(ctx, options, after))
    : partOf(query, MESSAGE_COLUMNS, nextMessages(ctx, options, { after, ...query }))
}

/** Leaves out custom fields that were deleted before. One that is deleted meanwhile gets empty. */
function partOf<T>(
  { row, last }: ExportQuery,
  all: Column<T>[],
  { rows, next }: Rows<T>,
): ExportPart {
  const find = (key: string): Column<T> | undefined => all.find((one) => one.key === key)
  const keys = last?.keys ?? optionsOf(row).columns.filter(find)
  const columns = keys.map((key) => ({
    key,
    type: 'text' as const,
    cell: () => null,
    ...find(key),
  }))
  const isHeaded = last === null && row.format === 'csv'
  const lines = rows.map((one) =>
    row.format === 'csv'
      ? csvLine(columns.map(({ type, cell }) => csvText(type, cell(one))))
      : `${JSON.stringify(Object.fromEntries(columns.map(({ key, cell }) => [key, cell(one) ?? null])))}\n`,
  )
  return {
    text: (isHeaded ? BOM + csvLine(keys) : '') + lines.join(''),
    rows: rows.length,
    ...{ keys, next },
  }
}

function nextTags(ctx: ReadCtx, { filters }: ExportOptions, after: string): Rows<TagView> {
  const page = Number(after || 1)
  const { items } = listTags(ctx, { page, limit: PAGE_OF_TAGS, search: filters.search })
  return { rows: items, next: items.length < PAGE_OF_TAGS ? null : String(page + 1) }
}

const timeOf = (written: string | undefined): number | undefined =>
  written === undefined ? undefined : Date.parse(written)

function nextContacts(
  ctx: ReadCtx,
  { filters, segmentId, filter, contactIds }: ExportOptions,
  after: string,
): Rows<ExportedContact> {
  const where = contactsWhere(ctx, {
    search: filters.search,
    accountId: filters.account_id,
    assignedTo: filters.assigned_to,
    tags: filters.tags?.split(',').filter((tag) => tag.trim() !== ''),
    tagsMode: filters.tags_mode,
    consent: filters.consent,
    isBlocked: filters.blocked,
    hasPhone: filters.has_phone,
    createdFromMs: timeOf(filters.created_from),
    createdBeforeMs: timeOf(filters.created_to),
    segmentId: segmentId ?? undefined,
    filter,
  })
  const chosen = contactIds && inArray(contacts.id, contactIds)
  return inSteps(ctx, contacts, after, (these) => {
    const rows = ctx.db.orm
      .select()
      .from(contacts)
      .where(inOrganization(ctx, contacts, and(where, chosen, these)))
      .orderBy(asc(contacts.id))
      .all()
    const sight = sightOf(ctx)
    const { isMasked } = sight
    const views = contactViews(ctx, rows, sight)
    return rows.flatMap((row, nth) => (views[nth] ? [{ row, view: views[nth], isMasked }] : []))
  })
}

/**
 * Reads a fixed number of rows per step in ID order, even if few of them match. `read` returns the
 * matching rows.
 */
function inSteps<T>(
  ctx: ReadCtx,
  table: typeof contacts | typeof messages,
  after: string,
  read: (these: SQL) => T[],
): Rows<T> {
  const ids = idsAfter(ctx, table, after)
  const last = ids.at(-1)
  if (last === undefined) return { rows: [], next: null }
  return { rows: read(inArray(table.id, ids)), next: ids.length < LOOKED_AT ? null : last }
}

const idsAfter = (
  ctx: ReadCtx,
  table: typeof contacts | typeof messages,
  after: string,
): string[] =>
  ctx.db.orm
    .select({ id: table.id })
    .from(table)
    .where(inOrganization(ctx, table, gt(table.id, after)))
    .orderBy(asc(table.id))
    .limit(LOOKED_AT)
    .all()
    .map(({ id }) => id)

const nextMessages = (
  ctx: ReadCtx,
  { filters, segmentId }: ExportOptions,
  { after, baseUrl }: { after: string; baseUrl: string },
): Rows<ExportedMessage> =>
  inSteps(ctx, messages, after, (these) => {
    const rows = ctx.db.orm
      .select()
      .from(messages)
      .where(inOrganization(ctx, messages, and(messagesWhere(ctx, filters, segmentId), these)))
      .orderBy(asc(messages.id))
      .all()
    return exportedMessages(ctx, rows, baseUrl)
  })

/**
 * Returns the SQL condition that limits messages to existing, visible contacts and to the filters.
 */
function messagesWhere(
  ctx: ReadCtx,
  filters: ExportFilters,
  segmentId: string | null,
): SQL | undefined {
  const [fromMs, toMs] = [timeOf(filters.from), timeOf(filters.to)]
  const isInSegment = exists(
    ctx.db.orm
      .select({ one: sql`1` })
      .from(contacts)
      .where(
        inOrganization(
          ctx,
          contacts,
          eq(contacts.id, messages.contactId),
          contactsWhere(ctx, { segmentId: segmentId ?? undefined }),
        ),
      ),
  )
  return and(
    visibleTo(ctx, messages.contactId),
    isShownHistory(ctx, { contactId: messages.contactId, atMs: messages.timestampMs }),
    segmentId === null ? undefined : isInSegment,
    filters.contact_id === undefined ? undefined : eq(messages.contactId, filters.contact_id),
    filters.account_id === undefined ? undefined : eq(messages.accountId, filters.account_id),
    filters.direction === undefined ? undefined : eq(messages.direction, filters.direction),
    filters.type === undefined ? undefined : eq(messages.type, filters.type),
    fromMs === undefined ? undefined : gte(messages.timestampMs, fromMs),
    toMs === undefined ? undefined : lt(messages.timestampMs, toMs),
  )
}
