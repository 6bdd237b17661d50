import { rowsOfCsv } from '../../../../infra/sheets/csv'
import {
  unsupportedFileError,
  requireBounded,
  fileLimitError,
  invalidFileError,
  type SheetRow,
} from '../../../../infra/sheets/row'
import { looksLikeJson, rowsOfJson } from './json'
import { MAX_ROWS } from '../model'
import { rowsOfXlsx } from './xlsx'

/** The rows of an uploaded table, without empty rows. */
export interface Sheet {
  format: 'csv' | 'xlsx' | 'json'
  rows: AsyncGenerator<SheetRow>
}

const HEAD_BYTES = 4_096

/** First bytes of binary formats that are never text, whatever the file name. */
const OTHERS = [
  '%PDF-',
  '\u00D0\u00CF\u0011\u00E0',
  '\u0089PNG',
  '\u00FF\u00D8\u00FF',
  'GIF8',
  '\u001F\u008B',
  'Rar!',
  '7z\u00BC\u00AF',
  '\u007FELF',
  '{\\rtf',
]

/**
 * Opens a table file and detects its format by its bytes. If `keys` is set, also accepts JSON
 * objects with these columns. Throws AppError 415 for any other format and InvalidError
 * `empty_file`.
 */
export async function openSheet(path: string, keys: readonly string[] | null): Promise<Sheet> {
  const head = await Bun.file(path).slice(0, HEAD_BYTES).bytes()
  if (head.length === 0) throw invalidFileError('empty_file', 'is empty')
  const text = Buffer.from(head).toString('latin1')
  if (text.startsWith('PK\u0003\u0004')) return { format: 'xlsx', rows: filled(rowsOfXlsx(path)) }
  const isMarked = /^(?:\u00FF\u00FE|\u00FE\u00FF)/.test(text)
  if (OTHERS.some((beginning) => text.startsWith(beginning)) || (!isMarked && isBinary(head)))
    throw unsupportedFileError()
  if (keys !== null && !isMarked && looksLikeJson(text))
    return { format: 'json', rows: filled(rowsOfJson(path, keys)) }
  return { format: 'csv', rows: filled(rowsOfCsv(path)) }
}

/** Reports whether too many bytes are zero for a text file. */
const isBinary = (head: Uint8Array): boolean =>
  head.filter((byte) => byte === 0).length * 20 > head.length

/**
 * Yields the rows that are not empty. Throws AppError 413 above the maximum number of rows, empty
 * ones included, and InvalidError for a row that is too wide or a cell that is too long.
 */
async function* filled(rows: AsyncGenerator<SheetRow>): AsyncGenerator<SheetRow> {
  let count = -1 // the header is none of them
  for await (const row of rows) {
    count += 1
    if (count > MAX_ROWS)
      throw fileLimitError(
        'too_many_rows',
        `has more than ${MAX_ROWS.toLocaleString('en-US')} rows, including empty ones`,
      )
    requireBounded(row)
    if (row.cells.some((cell) => cell.trim() !== '')) yield row
  }
}

/** Yields the rows below the header, numbered from 1. */
export async function* belowHeader(
  header: SheetRow,
  rows: AsyncGenerator<SheetRow>,
): AsyncGenerator<SheetRow> {
  for (let next = await rows.next(); !next.done; next = await rows.next())
    yield { row: next.value.row - header.row, cells: next.value.cells }
}
