import { AppError, InvalidError } from '../../lib/errors'

/**
 * Cells of a row, characters of a row and of a cell at most. A program for tables puts no more into
 * a cell either.
 */
export const MAX_CELLS = 500
export const MAX_ROW_LENGTH = 1_024 * 1_024
export const MAX_CELL_LENGTH = 32_767

/** A row of a file: its number, starting at 1, and its cells from left to right. */
export interface SheetRow {
  row: number
  cells: string[]
}

const ofFile = (message: string) => ({ errors: [{ path: 'body.file', message }] })

/** Returns the error for a file with invalid content. */
export const invalidFileError = (code: string, message: string): InvalidError =>
  new InvalidError(`The file ${message}.`, { code, ...ofFile(message) })

/** Returns the error for a file that exceeds a limit: 413. */
export const fileLimitError = (code: string, message: string): AppError =>
  new AppError(413, `The file ${message}.`, { code, ...ofFile(message) })

/** Returns the error for a file of another type: 415. */
export const unsupportedFileError = (): AppError =>
  new AppError(415, 'The file must be CSV or XLSX.', {
    code: 'unsupported_media_type',
    ...ofFile('must be CSV or XLSX'),
  })

/** The refusal of a file with a row that does not end. */
export const rowTooLong = (row: number): InvalidError =>
  invalidFileError(
    'row_too_long',
    `has a row of more than 1 MiB (row ${row}); look for an unpaired quotation mark`,
  )

/** Returns the error for a row with too many cells. */
export const rowTooWide = (row: number): InvalidError =>
  invalidFileError('too_many_columns', `has more than ${MAX_CELLS} columns in row ${row}`)

/** The refusal of a file with a cell, or a tag, that is longer than any. */
export const cellTooLong = (): InvalidError =>
  invalidFileError(
    'cell_too_long',
    `has a cell of more than ${MAX_CELL_LENGTH.toLocaleString('en-US')} characters`,
  )

/**
 * Requires that a row has no more cells than allowed, and no cell that is too long. Throws
 * InvalidError.
 */
export function requireBounded({ row, cells }: SheetRow): void {
  if (cells.length > MAX_CELLS) throw rowTooWide(row)
  if (cells.some(({ length }) => length > MAX_CELL_LENGTH)) throw cellTooLong()
}
