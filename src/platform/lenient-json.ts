import { LAST_MS } from '../lib/clock'

/** A JSON object with unchecked members. */
export type JsonObject = Record<string, unknown>

/** Maximum depth kept of a raw platform value. Real payloads are far below it. */
const MAX_KEPT_DEPTH = 32

/** Reports whether the value is a JSON object (not an array, not null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns the value if it is an object, otherwise an empty object, so that members of a missing
 * object read as missing.
 */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns the value if it is an array, otherwise an empty array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/**
 * Returns a text or a number as text, otherwise `null`. Removes NUL and lone surrogates, which
 * databases reject.
 */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return cleanText(value)
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null
}

/** Like {@link textOf}, but returns `null` for blank text too. For IDs, enum values and names. */
export function wordOf(value: unknown): string | null {
  const text = textOf(value)?.trim()
  return text === undefined || text === '' ? null : text
}

/** Returns a MIME type, otherwise `null`: it is sent on in headers, which hold printable ASCII only. */
export function mimeTypeOf(value: unknown): string | null {
  const word = wordOf(value)
  return word !== null && /^[\x20-\x7e]{1,255}$/.test(word) ? word : null
}

/** Returns a finite number, also from numeric text, otherwise `null`. */
export function numberOf(value: unknown): number | null {
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : null
}

/** Returns a size in bytes, also from numeric text, otherwise `null`. */
export function sizeOf(value: unknown): number | null {
  const bytes = numberOf(value)
  return Number.isSafeInteger(bytes) && bytes !== null && bytes >= 0 ? bytes : null
}

/** Reports whether the value is `true` or the text `true`. */
export function flagOf(value: unknown): boolean {
  return value === true || value === 'true'
}

/**
 * Converts Unix seconds (text or number) to epoch milliseconds. Returns `null` if invalid, or if the year
 * has more than four digits.
 */
export function secondsToMs(value: unknown): number | null {
  const seconds = numberOf(value)
  if (seconds === null || seconds <= 0) return null
  const ms = Math.trunc(seconds * 1000)
  return ms > LAST_MS ? null : ms
}

/** Removes NUL characters and replaces lone surrogates. */
function cleanText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/**
 * Returns a copy of a JSON value with clean keys and texts. Values below the maximum depth become
 * `null`.
 */
export function cleanJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_KEPT_DEPTH) return null
  if (Array.isArray(value)) return listOf(value).map((item) => cleanJson(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), cleanJson(item, depth + 1)]),
  )
}
