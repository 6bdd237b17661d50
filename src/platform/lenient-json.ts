/** A JSON object whose members nobody has looked at yet. */
export type JsonObject = Record<string, unknown>

/**
 * Deepest level kept of a value that is stored as it came; nothing the platform sends is near it.
 */
const MAX_KEPT_DEPTH = 32

/** Whether the value is a JSON object (not an array, not null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The value when it is an object, else an empty one, so that members of what is missing read as
 * missing.
 */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The value when it is an array, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/**
 * A text, also when it came as a number; null for everything else. Without NUL and lone surrogates,
 * which no store takes.
 */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return cleanText(value)
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null
}

/** Like {@link textOf}, but blank is null as well: for ids, words and names. */
export function wordOf(value: unknown): string | null {
  const text = textOf(value)?.trim()
  return text === undefined || text === '' ? null : text
}

/** A finite number, also when it came as text; null for everything else. */
export function numberOf(value: unknown): number | null {
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : null
}

/** A yes, also when it came as text. */
export function flagOf(value: unknown): boolean {
  return value === true || value === 'true'
}

/** Unix seconds (text or number) as epoch milliseconds; null when that is no date. */
export function secondsToMs(value: unknown): number | null {
  const seconds = numberOf(value)
  if (seconds === null || seconds <= 0) return null
  const ms = Math.trunc(seconds * 1000)
  return Number.isNaN(new Date(ms).getTime()) ? null : ms
}

/** The text without NUL characters and with lone surrogates replaced. */
function cleanText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/**
 * A copy of a JSON value with every text and key in it clean; what lies deeper than anything real
 * is null.
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
