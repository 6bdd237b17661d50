import { AppError, InvalidError } from '../../lib/errors'

/**
 * Cells of a row, characters of a row and of a cell at most. A program for tables puts no more into
 * a cell either.
 */
export const MAX_CELLS = 500
export const MAX_ROW_LENGTH = 1_024 * 1_024
export const MAX_CELL_LENGTH = 32_767

/**
 * A row of a file as it is read: its place, 1 for the first one of the file, and its cells from the
 * left.
 */
export interface SheetRow {
  row: number
  cells: string[]
}

const ofFile = (message: string) => ({ errors: [{ path: 'body.file', message }] })

/** The refusal of a file that cannot be read, because of what it says in itself. */
export const unreadable = (code: string, message: string): InvalidError =>
  new InvalidError(`The file ${message}.`, { code, ...ofFile(message) })

/** The refusal of a file that is more than is taken: 413. */
export const tooMuch = (code: string, message: string): AppError =>
  new AppError(413, `The file ${message}.`, { code, ...ofFile(message) })

/** The refusal of a file that is something else: 415. */
export const notATable = (): AppError =>
  new AppError(415, 'The file must be CSV or XLSX.', {
    code: 'unsupported_media_type',
    ...ofFile('must be CSV or XLSX'),
  })

/** The refusal of a file with a row that does not end. */
export const rowTooLong = (row: number): InvalidError =>
  unreadable(
    'row_too_long',
    `has a row of more than 1 MiB (row ${row}); look for an unpaired quotation mark`,
  )

/** The refusal of a file with a row of more cells than are taken. */
export const rowTooWide = (row: number): InvalidError =>
  unreadable('too_many_columns', `has more than ${MAX_CELLS} columns in row ${row}`)

/** The refusal of a file with a cell, or a tag, that is longer than any. */
export const cellTooLong = (): InvalidError =>
  unreadable(
    'cell_too_long',
    `has a cell of more than ${MAX_CELL_LENGTH.toLocaleString('en-US')} characters`,
  )

/**
 * Refuses a row of more cells than are taken, or with a cell that is longer than any. Throws
 * InvalidError.
 */
export function requireBounded({ row, cells }: SheetRow): void {
  if (cells.length > MAX_CELLS) throw rowTooWide(row)
  if (cells.some(({ length }) => length > MAX_CELL_LENGTH)) throw cellTooLong()
}
