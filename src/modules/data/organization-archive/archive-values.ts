import { bytesToUuid, uuidToBytes } from '../../../infra/db/uuid'
import type { ArchiveColumnType } from './archive-format'

/** A value of a row as SQLite returns it. */
export type StoredValue = string | number | bigint | Uint8Array | null

/** A value in a line of an archive. */
export type ArchivedValue = string | number | null

/** A line of an archive has another value than its column allows. */
export class ArchivedValueError extends Error {
  override readonly name = 'ArchivedValueError'
}

/**
 * Returns a stored value as it is written. Throws RangeError for an integer that was read without
 * all of its digits.
 */
export function toArchived(value: StoredValue, type: ArchiveColumnType): ArchivedValue {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`
  if (typeof value !== 'number') return bytesToUuid(value)
  if (type === 'real') return Number.isFinite(value) ? value : `${value}`
  if (!Number.isSafeInteger(value)) throw new RangeError('the integer lost digits')
  return value
}

const DIGITS = /^-?[1-9]\d{0,18}$/
const MAX_INTEGER = 2n ** 63n - 1n

/**
 * Returns an archived value as it is stored; not for secrets. Throws ArchivedValueError for one that
 * the column's type does not allow.
 */
export function fromArchived(value: unknown, type: ArchiveColumnType): StoredValue {
  if (value === null) return null
  if (type === 'id' && typeof value === 'string') return idFrom(value)
  if (type === 'text' && typeof value === 'string') return value
  if (type === 'integer' && Number.isSafeInteger(value)) return value as number
  if (type === 'integer' && typeof value === 'string' && DIGITS.test(value)) {
    const integer = BigInt(value)
    if (integer <= MAX_INTEGER && integer >= -MAX_INTEGER - 1n) return integer
  }
  if (type === 'real' && typeof value === 'number') return value
  if (type === 'real' && (value === 'Infinity' || value === '-Infinity')) return Number(value)
  throw new ArchivedValueError(`is not of the type ${type}`)
}

function idFrom(text: string): Uint8Array {
  try {
    return uuidToBytes(text)
  } catch {
    throw new ArchivedValueError('is not an ID')
  }
}
