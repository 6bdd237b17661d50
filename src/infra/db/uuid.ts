import { sql, type Placeholder, type SQL } from 'drizzle-orm'
import { customType } from 'drizzle-orm/sqlite-core'

/** Value of each ASCII character as a hexadecimal digit; -1 for any other one. */
const DIGITS = new Int8Array(128).fill(-1)
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16)
  DIGITS[digit.charCodeAt(0)] = value
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value
}

const LENGTH = 36
const BYTES = 16

/**
 * The ends of the ids that `timeSortedIds` makes, of organizations and of all else. They are not
 * stored: an id is in every key and index of its rows, and that of the organization in all of them.
 */
const SHORT_END = '00-8000-8000-000000000000'
const SHORT_BYTES = 5
const UNSTORED_END = '-000000000000'
const STORED_BYTES = 10

/** The positions in the text where a dash comes before the next byte. */
const isDash = (at: number): boolean => at === 8 || at === 13 || at === 18 || at === 23

/** Sorts after every other id: the max UUID (RFC 9562, 5.10). */
export const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Nothing: sorts before every id. */
const NONE = new Uint8Array(0)

/** How many bytes of a UUID are stored: the length alone tells which end was left out. */
function storedBytesOf(id: string): number {
  if (!id.endsWith(UNSTORED_END)) return BYTES
  return id.endsWith(SHORT_END) ? SHORT_BYTES : STORED_BYTES
}

/**
 * Returns the bytes that the database stores for a UUID in upper or lower case: 16, or fewer without
 * the ends above. Bytes sort as the texts do, unless two have the same first 5 bytes. The empty text
 * stands for the beginning of a scan, and for nobody in counts; it becomes an empty value, which
 * sorts before every id. Throws TypeError for any other text: a comparison with it would find nothing
 * without a word.
 */
export function uuidToBytes(id: string): Uint8Array {
  if (id === '') return NONE
  if (id.length !== LENGTH) throw notUuid(id)
  const bytes = new Uint8Array(storedBytesOf(id))
  let at = 0
  let signs = 0
  for (let index = 0; index < bytes.length; index++) {
    if (isDash(at)) {
      if (id[at] !== '-') throw notUuid(id)
      at++
    }
    const high = DIGITS[id.charCodeAt(at)] ?? -1
    const low = DIGITS[id.charCodeAt(at + 1)] ?? -1
    signs |= high | low
    bytes[index] = (high << 4) | low
    at += 2
  }
  if (signs < 0) throw notUuid(id)
  return bytes
}

const notUuid = (id: unknown): TypeError =>
  new TypeError(`${JSON.stringify(id)} is stored as a UUID but is not one`)

/** Returns the UUID in lower case that stored bytes stand for; the empty text for none. */
export function bytesToUuid(bytes: Uint8Array): string {
  if (bytes.length === 0) return ''
  const hex = bytes.toHex()
  if (bytes.length === SHORT_BYTES) return `${hex.slice(0, 8)}-${hex.slice(8)}${SHORT_END}`
  const end = bytes.length === BYTES ? `-${hex.slice(20)}` : UNSTORED_END
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}${end}`
}

/**
 * A column that holds a UUID: canonical lower-case text in the program, bytes in the database.
 *
 * Only values that Drizzle binds for the column are converted. A placeholder in a condition needs
 * `uuidPlaceholder` or `opaqueUuid`, a value in raw SQL `uuidToBytes`, a text in JSON `uuidOfText`, a
 * list in JSON `uuidsIn`, and an expression that is selected `mapWith(column)`.
 */
export const uuid = customType<{ data: string; driverData: Uint8Array }>({
  dataType: () => 'blob',
  toDriver: (id: string | null) => (id === null ? null : uuidToBytes(id)) as Uint8Array, // placeholders of nullable columns are filled with null
  fromDriver: bytesToUuid,
})

/** Converts a value in raw SQL to the bytes of its column. */
const encoder = {
  mapToDriverValue: (id: unknown) => (id === null ? null : uuidToBytes(id as string)),
}

/**
 * Returns a named placeholder for the UUID that a compiled statement is run with. The query planner
 * ignores its value, so that SQLite does not compile the statement again (`opaqueParam`).
 */
export const uuidPlaceholder = (name: string): SQL =>
  sql`+${sql.param(sql.placeholder(name), encoder)}`

/** Returns the bytes of a UUID as a value in raw SQL; `null` stays `null`. */
export const uuidValue = (id: string | null): SQL => sql`${sql.param(id, encoder)}`

/** Returns a placeholder like `uuidPlaceholder` where Drizzle's types name a placeholder. */
export const opaqueUuid = (name: string): Placeholder =>
  uuidPlaceholder(name) as unknown as Placeholder // as in `opaqueParam`

/** Matches a text with such an end, and then leaves the end out. */
const withoutEnd = (text: SQL, end: string): SQL => {
  const length = LENGTH - end.length
  return sql`when substr(${text}, ${sql.raw(String(length + 1))}) = ${sql.raw(`'${end}'`)} then substr(${text}, 1, ${sql.raw(String(length))})`
}

/** Returns the stored bytes of an expression that is a UUID as text; `null` for any other text. */
export const uuidOfText = (text: SQL): SQL =>
  sql`unhex(case ${withoutEnd(text, SHORT_END)} ${withoutEnd(text, UNSTORED_END)} else ${text} end, '-')`

/**
 * Returns the subquery that lists the UUIDs of a JSON array: a text in JSON, or a placeholder for
 * one.
 */
export const uuidsIn = (json: string | SQL | Placeholder): SQL =>
  sql`(select ${uuidOfText(sql`value`)} from json_each(${json}))`
