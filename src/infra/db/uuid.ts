import { customType } from 'drizzle-orm/sqlite-core'

import { unclassified } from './columns'

/** Value of each ASCII character as a hexadecimal digit; -1 for any other one. */
const DIGITS = new Int8Array(128).fill(-1)
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16)
  DIGITS[digit.charCodeAt(0)] = value
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value
}

/** Where the two digits of each byte begin. */
const BYTES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/** Stands for nobody in counts, and for the installation: the nil UUID (RFC 9562, 5.9). */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Sorts after every other id: the max UUID (RFC 9562, 5.10). */
export const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * Returns the 16 bytes of a UUID in upper or lower case; they sort as the texts do. The empty text is
 * the beginning of a scan: an empty value, which sorts before every id and is never stored. Throws
 * TypeError for any other text: a comparison with it would find nothing without a word.
 */
export function uuidToBytes(id: string): Uint8Array {
  if (id === '') return new Uint8Array(0)
  const bytes = new Uint8Array(BYTES.length)
  let signs = 0
  for (const [index, at] of BYTES.entries()) {
    const high = DIGITS[id.charCodeAt(at)] ?? -1
    const low = DIGITS[id.charCodeAt(at + 1)] ?? -1
    signs |= high | low
    bytes[index] = (high << 4) | low
  }
  if (signs < 0 || !hasForm(id))
    throw new TypeError(`${JSON.stringify(id)} is stored as a UUID but is not one`)
  return bytes
}

const hasForm = (id: string): boolean =>
  id.length === 36 && id[8] === '-' && id[13] === '-' && id[18] === '-' && id[23] === '-'

/** Returns the UUID in lower case that stored bytes stand for. */
export function bytesToUuid(bytes: Uint8Array): string {
  const hex = bytes.toHex()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const uuidColumn = customType<{ data: string; driverData: Uint8Array }>({
  dataType: () => 'blob',
  toDriver: (id: string | null) => (id === null ? null : uuidToBytes(id)) as Uint8Array, // placeholders of nullable columns are filled with null
  fromDriver: bytesToUuid,
})

/**
 * A column that holds a UUID: canonical lower-case text in the program, bytes in the database.
 *
 * Drizzle converts what it binds for the column. Elsewhere, a placeholder needs `place`, a list in JSON
 * `uuidsIn` (`compiled.ts`), a value in raw SQL `sql.param(id, column)`, and an expression that is
 * selected `mapWith(column)`.
 */
export const uuid = <N extends string>(name: N) => unclassified(uuidColumn(name))
