import { asc, inArray } from 'drizzle-orm'

import { BOM, csvLine, escapeFormula } from '../../../lib/csv'
import { ConflictError } from '../../../lib/errors'
import { maskPhonesIn } from '../../../lib/phone'
import type { Ctx } from '../../../infra/ctx'
import type { StagedFile } from '../../../infra/files/staged-file'
import { of } from '../../../infra/scoped'
import { enterSheetQueue } from '../../../infra/sheets/concurrency'
import { masksNumbers } from '../../inbox/contacts/sight/visibility'
import { columnsOf, headingsIn } from './columns'
import { headerOf } from './create'
import { openSheet } from './files/open'
import type { FilePreview, ImportSample, ImportTable } from './model'
import { getVisibleImport } from './state'
import { readRows, type StagedRow } from './stored-rows'
import { importRows } from './table'
import { optionsOf, rowView, type ImportRow, type OutcomeRow } from './view'

/** Rows that are looked at for examples, and examples of a column. */
const LOOKED_AT = 200
const EXAMPLES = 5
const MAX_EXAMPLE_LENGTH = 100

const SAMPLE_ROWS = 20

/** The heading of what is wrong with a row. */
const PROBLEM = 'problem'

/**
 * Returns the columns of a file as they are recognized, each with examples. Nothing is stored. Throws
 * InvalidError for an invalid file, and AppError as an import.
 */
export async function previewFile(
  ctx: Ctx,
  { table, file }: { table: ImportTable; file: StagedFile },
): Promise<FilePreview> {
  try {
    const leave = await enterSheetQueue(ctx)
    try {
      const sheet = await openSheet(file.path, null)
      try {
        const header = await headerOf(sheet.rows)
        const headings = headingsIn(columnsOf(ctx, table), header.cells)
        const examples = headings.map(() => new Set<string>())
        for (let row = 0; row < LOOKED_AT; row += 1) {
          const next = await sheet.rows.next()
          if (next.done === true) break
          addExamples(examples, next.value.cells)
        }
        return {
          columns: headings.map((heading, index) => ({
            ...heading,
            examples: [...(examples[index] ?? [])],
          })),
        }
      } finally {
        await sheet.rows.return(undefined)
      }
    } finally {
      leave()
    }
  } finally {
    await ctx.files.discard(file)
  }
}

/**
 * Returns the columns of the stored file of an import with examples, and what each was taken for.
 * Throws NotFoundError, and ConflictError `wrong_state` once its rows are gone.
 */
export async function columnsWithExamples(ctx: Ctx, id: string): Promise<FilePreview> {
  const about = getVisibleImport(ctx, id)
  const first = await rowsOf(ctx, about.storedAs).next()
  if (first.done === true)
    throw new ConflictError('The rows of the file have been deleted.', { code: 'wrong_state' })
  const { columns } = optionsOf(about)
  const examples = columns.map(() => new Set<string>())
  for (const [, cells] of first.value.slice(0, LOOKED_AT)) addExamples(examples, cells)
  const isMasked = masksNumbers(ctx)
  return {
    columns: columns.map((heading, index) => ({
      ...heading,
      examples: [...(examples[index] ?? [])].map((text) => shown(text, isMasked)),
    })),
  }
}

function addExamples(examples: Set<string>[], cells: readonly string[]): void {
  for (const [index, found] of examples.entries()) {
    const text = (cells[index] ?? '').trim()
    if (text !== '' && found.size < EXAMPLES) found.add(text.slice(0, MAX_EXAMPLE_LENGTH))
  }
}

/** Yields the stored rows of an import; none if its file is gone. */
async function* rowsOf(ctx: Ctx, storedAs: string | null): AsyncGenerator<StagedRow[]> {
  if (storedAs === null || !(await ctx.files.has(storedAs))) return
  for await (const placed of readRows(ctx.files.pathOf(storedAs), 0))
    yield placed.map(({ stored }) => stored)
}

/** Returns the first rows of an import as they are read, with what became of them. Throws NotFoundError. */
export async function sampleOf(ctx: Ctx, id: string): Promise<ImportSample> {
  const about = getVisibleImport(ctx, id)
  const { columns } = optionsOf(about)
  const first = await rowsOf(ctx, about.storedAs).next()
  const stored = first.done === true ? [] : first.value.slice(0, SAMPLE_ROWS)
  const isMasked = masksNumbers(ctx)
  const known = resultsOf(
    ctx,
    id,
    stored.map(([row]) => row),
  )
  return {
    items: stored.map(([row, cells]) => {
      const result = known.get(row)
      const { outcome = null, errors = [] } = result ? rowView(result, isMasked) : {}
      const values = columns.flatMap(({ key }, index) =>
        key === null ? [] : [{ key, value: shown(cells[index] ?? '', isMasked) }],
      )
      return { row, values, outcome, errors }
    }),
  }
}

const shown = (text: string, isMasked: boolean): string => (isMasked ? maskPhonesIn(text) : text)

/** Returns what became of these rows, by their numbers. */
const resultsOf = (ctx: Ctx, importId: string, rows: number[]): Map<number, OutcomeRow> =>
  new Map(
    of(ctx, importRows)
      .list({
        where: [{ importId }, inArray(importRows.row, rows)],
        order: [asc(importRows.row)],
        limit: rows.length,
      })
      .map((one) => [one.row, one]),
  )

/**
 * Yields the failed rows of an import as a file that can be corrected and imported: the columns of the
 * file that were read, and what is wrong with each row. Throws NotFoundError, and ConflictError
 * `wrong_state` once the rows of the file are gone.
 */
export function failedRows(
  ctx: Ctx,
  id: string,
): { filename: string; pieces: AsyncGenerator<string> } {
  const about = getVisibleImport(ctx, id)
  if (about.storedAs === null)
    throw new ConflictError('The rows of the file have been deleted.', { code: 'wrong_state' })
  return {
    filename: `failed-${about.filename.replace(/\.\w+$/, '')}.csv`,
    pieces: linesOf(ctx, about),
  }
}

async function* linesOf(ctx: Ctx, about: ImportRow): AsyncGenerator<string> {
  const isMasked = masksNumbers(ctx)
  const { columns } = optionsOf(about)
  const read = columns.flatMap(({ key }, index) => (key === null ? [] : [index]))
  const headers = read.map((index) => columns[index]?.header ?? '')
  yield BOM + csvLine([...headers, PROBLEM].map(escapeFormula))
  for await (const stored of rowsOf(ctx, about.storedAs)) {
    const results = resultsOf(
      ctx,
      about.id,
      stored.map(([row]) => row),
    )
    for (const [row, cells] of stored) {
      const result = results.get(row)
      if (result?.outcome !== 'failed') continue
      const problems = rowView(result, isMasked).errors.map(({ column, message }) =>
        column === null ? message : `${column} ${message}`,
      )
      const values = read.map((index) => shown(cells[index] ?? '', isMasked))
      yield csvLine([...values, problems.join('; ')].map(escapeFormula))
    }
  }
}
