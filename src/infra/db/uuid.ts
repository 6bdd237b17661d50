import { sql, type Placeholder, type SQL } from 'drizzle-orm'
import { customType } from 'drizzle-orm/sqlite-core'

import { unclassified } from './columns'

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
 * The forms of the ids that `timeSortedIds` makes, of organizations and accounts and of all else:
 * an id is in every key and index of its rows, so the digits that are always the same are not stored.
 */
const SHORT_END = '-0000-8000-8000-000000000000'
const SHORT_BYTES = 4
const TIMED = '________-____-7___-8_00-000000000000'
const TIMED_END = '00-000000000000'
const TIMED_BYTES = 8

/** The positions of the digits that are stored. */
const ALL_DIGITS = Array.from({ length: LENGTH }, (_, at) => at).filter((at) => TIMED[at] !== '-')
const TIMED_DIGITS = ALL_DIGITS.filter((at) => TIMED[at] === '_')

/** Sorts after every other id: the max UUID (RFC 9562, 5.10). */
export const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Nothing: sorts before every id. */
const NONE = new Uint8Array(0)

/** How many bytes of a UUID are stored: the length alone tells its form. */
function storedBytesOf(id: string): number {
  if (!id.endsWith(TIMED_END)) return BYTES
  if (id[14] === '7' && id[19] === '8') return TIMED_BYTES
  return id.endsWith(SHORT_END) ? SHORT_BYTES : BYTES
}

const hasDashes = (id: string): boolean =>
  id[8] === '-' && id[13] === '-' && id[18] === '-' && id[23] === '-'

/**
 * Returns the bytes that the database stores for a UUID in upper or lower case: 16, or fewer of the
 * forms above. Bytes sort as the texts do, unless two of different forms begin with the same bytes.
 * The empty text stands for the beginning of a scan, and for nobody in counts; it becomes an empty
 * value, which sorts before every id. Throws TypeError for any other text: a comparison with it would
 * find nothing without a word.
 */
export function uuidToBytes(id: string): Uint8Array {
  if (id === '') return NONE
  if (id.length !== LENGTH) throw notUuid(id)
  const bytes = new Uint8Array(storedBytesOf(id))
  const digits = bytes.length === TIMED_BYTES ? TIMED_DIGITS : ALL_DIGITS
  let signs = 0
  for (let index = 0; index < bytes.length; index++) {
    const high = DIGITS[id.charCodeAt(digits[2 * index] as number)] ?? -1
    const low = DIGITS[id.charCodeAt(digits[2 * index + 1] as number)] ?? -1
    signs |= high | low
    bytes[index] = (high << 4) | low
  }
  if (signs < 0 || !hasDashes(id)) throw notUuid(id)
  return bytes
}

const notUuid = (id: unknown): TypeError =>
  new TypeError(`${JSON.stringify(id)} is stored as a UUID but is not one`)

/** Returns the UUID in lower case that stored bytes stand for; the empty text for none. */
export function bytesToUuid(bytes: Uint8Array): string {
  if (bytes.length === 0) return ''
  const hex = bytes.toHex()
  if (bytes.length === SHORT_BYTES) return hex + SHORT_END
  const time = `${hex.slice(0, 8)}-${hex.slice(8, 12)}`
  if (bytes.length === TIMED_BYTES) return `${time}-7${hex.slice(12, 15)}-8${hex[15]}${TIMED_END}`
  return `${time}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const uuidColumn = customType<{ data: string; driverData: Uint8Array }>({
  dataType: () => 'blob',
  toDriver: (id: string | null) => (id === null ? null : uuidToBytes(id)) as Uint8Array, // placeholders of nullable columns are filled with null
  fromDriver: bytesToUuid,
})

/**
 * A column that holds a UUID: canonical lower-case text in the program, bytes in the database.
 *
 * Only values that Drizzle binds for the column are converted. A placeholder in a condition needs
 * `uuidPlaceholder` or `opaqueUuid`, a value in raw SQL `uuidToBytes`, a text in JSON `uuidOfText`, a
 * list in JSON `uuidsIn`, and an expression that is selected `mapWith(column)`.
 */
export const uuid = <N extends string>(name: N) => unclassified(uuidColumn(name))

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

/** Joins the digits of a UUID as text that are stored of one of the forms above. */
const digitsOf = (text: SQL, runs: [from: number, length: number][]): SQL =>
  sql.join(
    runs.map(([from, length]) => sql`substr(${text}, ${sql.raw(`${from}, ${length}`)})`),
    sql` || `,
  )

/** Returns the stored bytes of an expression that is a UUID as text; `null` for any other text. */
export const uuidOfText = (text: SQL): SQL => {
  const short = sql.raw(`'________${SHORT_END}'`)
  const timed = sql.raw(`'${TIMED}'`)
  const timedDigits = digitsOf(text, [
    [1, 8],
    [10, 4],
    [16, 3],
    [21, 1],
  ])
  return sql`unhex(case when ${text} like ${timed} then ${timedDigits} when ${text} like ${short} then substr(${text}, 1, 8) else ${text} end, '-')`
}

/**
 * Returns the subquery that lists the UUIDs of a JSON array: a text in JSON, or a placeholder for
 * one.
 */
export const uuidsIn = (json: string | SQL | Placeholder): SQL =>
  sql`(select ${uuidOfText(sql`value`)} from json_each(${json}))`
