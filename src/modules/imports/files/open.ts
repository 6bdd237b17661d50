import { rowsOfCsv } from '../../../infra/sheets/csv'
import {
  notATable,
  requireBounded,
  tooMuch,
  unreadable,
  type SheetRow,
} from '../../../infra/sheets/row'
import { beginsAsJson, rowsOfJson } from './json'
import { MAX_ROWS } from '../model'
import { rowsOfXlsx } from './xlsx'

/** A table that came as a file; rows without anything in them are left out. */
export interface Sheet {
  format: 'csv' | 'xlsx' | 'json'
  rows: AsyncGenerator<SheetRow>
}

const HEAD_BYTES = 4_096

/** How files begin that are no text, whatever their name says. */
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
 * Opens a file as the table it is, decided by its bytes; with `keys` also a list of objects as
 * JSON, whose columns they are. Throws AppError 415 for anything else and InvalidError
 * `empty_file`.
 */
export async function openSheet(path: string, keys: readonly string[] | null): Promise<Sheet> {
  const head = await Bun.file(path).slice(0, HEAD_BYTES).bytes()
  if (head.length === 0) throw unreadable('empty_file', 'is empty')
  const text = Buffer.from(head).toString('latin1')
  if (text.startsWith('PK\u0003\u0004')) return { format: 'xlsx', rows: filled(rowsOfXlsx(path)) }
  const isMarked = /^(?:\u00FF\u00FE|\u00FE\u00FF)/.test(text)
  if (OTHERS.some((beginning) => text.startsWith(beginning)) || (!isMarked && isBinary(head)))
    throw notATable()
  if (keys !== null && !isMarked && beginsAsJson(text))
    return { format: 'json', rows: filled(rowsOfJson(path, keys)) }
  return { format: 'csv', rows: filled(rowsOfCsv(path)) }
}

/** Whether so many bytes are zero that it is no text. */
const isBinary = (head: Uint8Array): boolean =>
  head.filter((byte) => byte === 0).length * 20 > head.length

/**
 * The rows that hold something. All are counted: throws AppError 413 at the first one too many, and
 * InvalidError for a row that is too wide or a cell that is too long.
 */
async function* filled(rows: AsyncGenerator<SheetRow>): AsyncGenerator<SheetRow> {
  let count = -1 // the header is none of them
  for await (const row of rows) {
    count += 1
    if (count > MAX_ROWS)
      throw tooMuch(
        'too_many_rows',
        `has more than ${MAX_ROWS.toLocaleString('en-US')} rows, including empty ones`,
      )
    requireBounded(row)
    if (row.cells.some((cell) => cell.trim() !== '')) yield row
  }
}

/** The rows below the header, counted from 1. */
export async function* belowHeader(
  header: SheetRow,
  rows: AsyncGenerator<SheetRow>,
): AsyncGenerator<SheetRow> {
  for (let next = await rows.next(); !next.done; next = await rows.next())
    yield { row: next.value.row - header.row, cells: next.value.cells }
}
