import { and, asc, desc, eq, gt } from 'drizzle-orm'

import { BOM, csvLine, escapeFormula } from '../../../lib/csv'
import { longPage, readCursor, type LongPage, type Page } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { readNumbered } from '../../../infra/offset-pagination'
import { masksNumbers, ownWork } from '../../inbox/contacts/sight/visibility'
import type { ImportRowView, ImportView, RowOutcome } from './model'
import { getVisibleImport } from './state'
import { imports, importRows } from './table'
import { importView, rowView, type ImportRow, type OutcomeRow } from './view'

/** Lists the caller's imports, or all for a caller who sees all contacts, newest first. */
export function listImports(
  ctx: Ctx,
  query: { page: number; limit: number; table?: ImportRow['target'] | undefined },
): Page<ImportView> {
  return readNumbered(ctx, query, {
    table: imports,
    filter: inOrganization(
      ctx,
      imports,
      ownWork(ctx, imports.createdBy),
      query.table === undefined ? undefined : eq(imports.target, query.table),
    ),
    order: [desc(imports.createdAtMs), desc(imports.id)],
    views: (rows) => rows.map(importView),
  })
}

/** Returns an import. Throws NotFoundError. */
export const getImport = (ctx: Ctx, id: string): ImportView => importView(getVisibleImport(ctx, id))

/** Filters of report rows. */
export interface RowsQuery {
  page: number
  limit: number
  cursor?: string | undefined
  outcome?: RowOutcome | undefined
}

/**
 * Lists the report rows of an import in file order. Throws NotFoundError, and InvalidError for an
 * invalid cursor.
 */
export function listRows(ctx: Ctx, id: string, query: RowsQuery): LongPage<ImportRowView> {
  const after = query.cursor === undefined ? 0 : (readCursor(query.cursor).value ?? 0)
  const about = getVisibleImport(ctx, id)
  const isMasked = masksNumbers(ctx)
  const rows = readRows(ctx, id, {
    outcome: query.outcome,
    after,
    limit: query.limit + 1,
    offset: query.cursor === undefined ? (query.page - 1) * query.limit : 0,
  })
  return longPage(rows, query, {
    view: (shown) => shown.map((row) => rowView(row, isMasked)),
    cursorKeyOf: ({ row }) => ({ value: row, id }),
    total: () => (query.outcome === undefined ? about.rowsDone : about[query.outcome]),
  })
}

interface Wanted {
  outcome: RowOutcome | undefined
  after: number
  limit: number
  offset: number
}

const readRows = (
  ctx: Ctx,
  importId: string,
  { outcome, after, limit, offset }: Wanted,
): OutcomeRow[] =>
  ctx.db.orm
    .select()
    .from(importRows)
    .where(
      inOrganization(
        ctx,
        importRows,
        and(
          eq(importRows.importId, importId),
          outcome === undefined ? undefined : eq(importRows.outcome, outcome),
          gt(importRows.row, after),
        ),
      ),
    )
    .orderBy(asc(importRows.row))
    .limit(limit)
    .offset(offset)
    .all()

const ROWS_AT_ONCE = 500

const HEADINGS = ['row', 'outcome', 'contact_id', 'column', 'message', 'value']

/**
 * Yields the report as CSV: one line per problem of a row, and one line for a row without problems.
 * Throws NotFoundError.
 */
export function reportLines(
  ctx: Ctx,
  id: string,
  outcome: RowOutcome | undefined,
): { filename: string; pieces: Generator<string> } {
  const about = getVisibleImport(ctx, id)
  return { filename: `import-${about.id}.csv`, pieces: pieces(ctx, id, outcome) }
}

function* pieces(ctx: Ctx, id: string, outcome: RowOutcome | undefined): Generator<string> {
  const isMasked = masksNumbers(ctx)
  yield BOM + csvLine(HEADINGS)
  for (let after = 0; ;) {
    const rows = readRows(ctx, id, { outcome, after, limit: ROWS_AT_ONCE, offset: 0 })
    const last = rows.at(-1)
    if (!last) return
    yield rows.flatMap((row) => linesOf(rowView(row, isMasked))).join('')
    after = last.row
  }
}

function linesOf({ row, outcome, contact_id: contactId, errors }: ImportRowView): string[] {
  const said = errors.length === 0 ? [{ column: null, message: '', value: null }] : errors
  return said.map(({ column, message, value }) =>
    csvLine([
      String(row),
      outcome,
      contactId ?? '',
      ...[column ?? '', message, value ?? ''].map(escapeFormula),
    ]),
  )
}
