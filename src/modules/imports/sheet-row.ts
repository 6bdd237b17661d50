import { AppError, InvalidError } from '../../lib/errors'

/** A row of a file as it is read: its place, 1 for the first one of the file, and its cells from the left. */
export interface SheetRow {
  row: number
  cells: string[]
}

const ofFile = (message: string) => ({ errors: [{ path: 'body.file', message }] })

/** The refusal of a file that cannot be read, because of what it says in itself. */
export const unreadable = (code: string, message: string): InvalidError =>
  new InvalidError(`The file ${message}.`, { code, ...ofFile(message) })

/** The refusal of a file that is more than is taken: 413. */
export const tooMuch = (code: string, message: string): AppError => new AppError(413, `The file ${message}.`, { code, ...ofFile(message) })

/** The refusal of a file that is something else: 415. */
export const notATable = (): AppError =>
  new AppError(415, 'The file must be CSV or XLSX.', { code: 'unsupported_media_type', ...ofFile('must be CSV or XLSX') })
