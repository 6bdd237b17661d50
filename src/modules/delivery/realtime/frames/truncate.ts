type Json = Record<string, unknown>

/** Maximum size of a payload, bytes. Larger payloads are truncated and marked. */
export const MAX_PAYLOAD_BYTES_LENGTH = 8 * 1024

/** Texts up to this length are never truncated, characters: IDs, types, times, file URLs. */
const MIN_CUT = 128

/** Returns the size of a value on the wire, bytes. */
export const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/**
 * Returns a payload that fits into a frame, or into `maxBytes`. Truncates the longest texts first, at whole characters,
 * and sets `truncated`. Empties lists and objects that are too large without long texts. Keeps IDs
 * and short texts.
 */
export function fitted(payload: Json, maxBytes = MAX_PAYLOAD_BYTES_LENGTH): Json {
  if (sizeOf(payload) <= maxBytes) return payload
  const cut = structuredClone({ ...payload, truncated: true })
  let excess = sizeOf(cut) - maxBytes
  for (const { holder, key, bytes } of largestFirst(textsIn(cut))) {
    if (excess <= 0) return cut
    holder[key] = shortened(String(holder[key]), excess)
    excess -= bytes - sizeOf(holder[key])
  }
  for (const { holder, key, bytes } of largestFirst(partsIn(cut))) {
    if (excess <= 0) return cut
    holder[key] = Array.isArray(holder[key]) ? [] : {}
    excess -= bytes - sizeOf(holder[key])
  }
  return cut
}

interface Place {
  holder: Json
  key: string
  bytes: number
}

const largestFirst = (places: Place[]): Place[] => places.toSorted((a, b) => b.bytes - a.bytes)

/** Returns every text that may be truncated, at any depth. */
function textsIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    typeof inner === 'string'
      ? inner.length > MIN_CUT
        ? [{ holder: value as Json, key, bytes: sizeOf(inner) }]
        : []
      : textsIn(inner),
  )
}

/** Returns the non-empty lists and objects of a payload. */
const partsIn = (payload: Json): Place[] =>
  Object.entries(payload)
    .filter(
      ([, inner]) => typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0,
    )
    .map(([key, inner]) => ({ holder: payload, key, bytes: sizeOf(inner) }))

/**
 * Returns a text shortened by at least `bytes`, cut at a whole character and never below the
 * minimum.
 */
function shortened(text: string, bytes: number): string {
  const characters = [...text]
  let kept = characters.length
  for (let freed = 0; kept > MIN_CUT / 2 && freed < bytes; kept -= 1)
    freed += sizeOf(characters[kept - 1]) - 2
  return characters.slice(0, kept).join('')
}
