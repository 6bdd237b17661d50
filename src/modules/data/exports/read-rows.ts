import { and, asc, eq, exists, gt, gte, inArray, lt, sql, type SQL } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { contactsWhere } from '../../inbox/contacts/filters'
import { contacts } from '../../inbox/contacts/table'
import { isShownHistory, sightOf } from '../../inbox/contacts/visible-history'
import { visibleTo } from '../../inbox/contacts/visibility'
import { messages } from '../../inbox/messages/table'
import { contactColumns, MESSAGE_COLUMNS, TAG_COLUMNS, type Column } from './columns'
import { exportedMessages } from './messages'
import type { ExportFilters, ExportTable } from './model'
import type { ExportOptions } from './view'
import { listTags } from '../../inbox/tags/queries'
import { contactViews } from '../../inbox/contacts/load-views'

/** Number of rows read, and at most returned, in one step. */
const LOOKED_AT = 250

const PAGE_OF_TAGS = 100

/** A batch of exported rows and where the next one begins; `null` at the end. */
export interface Part {
  rows: unknown[][]
  next: string | null
}

/** A chosen column of a file. */
export type Chosen = Pick<Column<never>, 'key' | 'type'>

/** Reads a table in batches, each with the current permissions of `ctx`. */
interface Source {
  columns: Chosen[]
  read: (ctx: Ctx, after: string) => Part
}

const cellsOf = <T>(columns: Column<T>[], rows: T[]): unknown[][] =>
  rows.map((row) => columns.map(({ cell }) => cell(row)))

const chosenOf = <T>(all: Column<T>[], keys: string[]): Column<T>[] =>
  keys
    .map((key) => all.find((column) => column.key === key))
    .filter((column) => column !== undefined)

/** Returns the source of an export. Leaves out custom fields that were deleted meanwhile. */
export function sourceOf(ctx: Ctx, table: ExportTable, options: ExportOptions): Source {
  if (table === 'tags') return tagSource(options)
  return table === 'contacts' ? contactSource(ctx, options) : messageSource(options)
}

const tagSource = ({ columns: keys, filters }: ExportOptions): Source => {
  const columns = chosenOf(TAG_COLUMNS, keys)
  return {
    columns,
    read(ctx, after) {
      const page = Number(after || 1)
      const { items } = listTags(ctx, { page, limit: PAGE_OF_TAGS, search: filters.search })
      return {
        rows: cellsOf(columns, items),
        next: items.length < PAGE_OF_TAGS ? null : String(page + 1),
      }
    },
  }
}

const timeOf = (written: string | undefined): number | undefined =>
  written === undefined ? undefined : Date.parse(written)

function contactSource(about: Ctx, { columns: keys, filters, segmentId }: ExportOptions): Source {
  const columns = chosenOf(contactColumns(about), keys)
  return {
    columns,
    read(ctx, after) {
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
      })
      return inSteps(ctx, contacts, after, (these) => {
        const rows = ctx.db.orm
          .select()
          .from(contacts)
          .where(inOrganization(ctx, contacts, and(where, these)))
          .orderBy(asc(contacts.id))
          .all()
        const sight = sightOf(ctx)
        const { isMasked } = sight
        const views = contactViews(ctx, rows, sight)
        return cellsOf(
          columns,
          rows.flatMap((row, nth) => (views[nth] ? [{ row, view: views[nth], isMasked }] : [])),
        )
      })
    },
  }
}

/**
 * Reads a fixed number of rows per step in ID order, even if few of them match. `read` returns the
 * cells of the matching rows.
 */
function inSteps(
  ctx: Ctx,
  table: typeof contacts | typeof messages,
  after: string,
  read: (these: SQL) => unknown[][],
): Part {
  const ids = idsAfter(ctx, table, after)
  const last = ids.at(-1)
  if (last === undefined) return { rows: [], next: null }
  return { rows: read(inArray(table.id, ids)), next: ids.length < LOOKED_AT ? null : last }
}

const idsAfter = (ctx: Ctx, table: typeof contacts | typeof messages, after: string): string[] =>
  ctx.db.orm
    .select({ id: table.id })
    .from(table)
    .where(inOrganization(ctx, table, gt(table.id, after)))
    .orderBy(asc(table.id))
    .limit(LOOKED_AT)
    .all()
    .map(({ id }) => id)

function messageSource({ columns: keys, filters, segmentId }: ExportOptions): Source {
  const columns = chosenOf(MESSAGE_COLUMNS, keys)
  return {
    columns,
    read: (ctx, after) =>
      inSteps(ctx, messages, after, (these) => {
        const rows = ctx.db.orm
          .select()
          .from(messages)
          .where(inOrganization(ctx, messages, and(messagesWhere(ctx, filters, segmentId), these)))
          .orderBy(asc(messages.id))
          .all()
        return cellsOf(columns, exportedMessages(ctx, rows))
      }),
  }
}

/**
 * Returns the SQL condition that limits messages to existing, visible contacts and to the filters.
 */
function messagesWhere(
  ctx: Ctx,
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
