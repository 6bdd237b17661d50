import { REASON_MESSAGES, type StorageReason } from '../storage-health'

/** Thrown if the database cannot be used. The message is one sentence for the operator. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
}

/** Returns the error for a damaged database file. */
export const damaged = (path: string): DatabaseError =>
  new DatabaseError(`The database ${path} is damaged. Restore a backup.`)

/** Whether an error reports a violated unique or primary key. */
export const isUniqueViolation = (error: unknown): boolean =>
  codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE' || codeOf(error) === 'SQLITE_CONSTRAINT_PRIMARYKEY'

/** Whether an error reports that another process holds the database. */
export const isLocked = (error: unknown): boolean =>
  isStorageError(error) && reasonOf(error) === 'locked'

/**
 * Whether an error reports that the disk or the database cannot take writes now (full, read-only,
 * busy, I/O). SQLite has undone the whole transaction then, so code that catches the error of a
 * savepoint must throw it again.
 */
export const isStorageError = (error: unknown): boolean =>
  /^SQLITE_(FULL|READONLY|BUSY|LOCKED|IOERR|CANTOPEN|NOMEM)/.test(codeOf(error) ?? '')

/** Whether an error reports that the database file is damaged. */
export const isDamaged = (error: unknown): boolean =>
  codeOf(error)?.startsWith('SQLITE_CORRUPT') ?? false

/** Why a storage error (`isStorageError`) prevents writes. */
export function reasonOf(error: unknown): StorageReason {
  const code = codeOf(error) ?? ''
  if (code.startsWith('SQLITE_FULL')) return 'full'
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'locked'
  return code.startsWith('SQLITE_READONLY') ? 'read_only' : 'failing'
}

/**
 * Returns the sentence for the operator when a command ends with a storage error, or `null` for any
 * other error.
 */
export const storageErrorMessage = (error: unknown): string | null =>
  isStorageError(error)
    ? `The database cannot be used: ${REASON_MESSAGES[reasonOf(error)]}${reasonOf(error) === 'failing' ? '; check the disk' : ''}.`
    : null

/** The SQLite error code. Drizzle wraps a driver's error; the code is on the cause. */
export function codeOf(error: unknown): string | null {
  let at: unknown = error
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code
    at = at.cause
  }
  return null
}
