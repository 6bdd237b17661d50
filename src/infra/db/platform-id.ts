import { sql, type Placeholder, type SQL } from 'drizzle-orm'
import { customType, type SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { unclassified } from './columns'

/** The platform's message ids consist of this prefix and bytes in base64. */
const PREFIX = 'wamid.'

/** Shorter base64 is stored as text: it may be a word that only looks like base64. */
const LEAST_BYTES = 12

/** The first character of an id that is stored as text. */
const TEXT = '='
const TEXT_BYTE = TEXT.charCodeAt(0)

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Returns the bytes that the database stores for the id of a message: the bytes of its base64, which
 * are a third fewer. Any other text is stored as it is, after a `=`. So is base64 in another spelling
 * than the usual one, so that no two texts have the same bytes.
 */
export const platformIdToBytes = (id: string): Uint8Array =>
  bytesOf(id) ?? encoder.encode(TEXT + id)

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function bytesOf(id: string): Uint8Array | null {
  if (!id.startsWith(PREFIX)) return null
  const text = id.slice(PREFIX.length)
  if (!BASE64.test(text)) return null
  const bytes = Uint8Array.fromBase64(text)
  const isText = bytes.length < LEAST_BYTES || bytes[0] === TEXT_BYTE
  return !isText && bytes.toBase64() === text ? bytes : null
}

/** Returns the id that stored bytes stand for. */
export const bytesToPlatformId = (bytes: Uint8Array): string =>
  bytes[0] === TEXT_BYTE ? decoder.decode(bytes.subarray(1)) : PREFIX + bytes.toBase64()

/** The type of such columns in SQLite, by which an archive tells them from those of UUIDs. */
export const PLATFORM_ID_TYPE = 'ANY'

/** CHECK condition that refuses text: a forgotten conversion would store a message twice. */
export const isPlatformId = (column: SQLiteColumn): SQL => sql`typeof(${column}) <> 'text'`

const platformIdColumn = customType<{ data: string; driverData: Uint8Array }>({
  dataType: () => PLATFORM_ID_TYPE,
  toDriver: (id: string | null) => (id === null ? null : platformIdToBytes(id)) as Uint8Array, // placeholders of nullable columns are filled with null
  fromDriver: bytesToPlatformId,
})

/**
 * A column that holds the id of a message of the platform: text in the program, bytes in the
 * database. Its table has `isPlatformId` as a check. As with `uuid`, a placeholder in a condition
 * needs `platformIdPlaceholder`, and a value in raw SQL `platformIdToBytes`.
 */
export const platformId = <N extends string>(name: N) => unclassified(platformIdColumn(name))

const parameter = { mapToDriverValue: (id: unknown) => platformIdToBytes(id as string) }

/** Returns a placeholder for the id of a message that a compiled statement is run with. */
export const platformIdPlaceholder = (name: string): Placeholder =>
  sql`+${sql.param(sql.placeholder(name), parameter)}` as unknown as Placeholder // as in `opaqueParam`
