import { yieldToEventLoop } from '../event-loop'

/** What JSON text may have. */
export interface JsonLimits {
  /** Fields and items of the whole text. */
  values: number
  /** Fields of one object. Far more than a list's items, distinct names cost time wherever they are read. */
  fields: number
  /** Nesting, with the value in the innermost list or object as a level. */
  levels: number
}

/** The bytes of lists and objects that are too large to be parsed at once: the end of each by its beginning. */
export type LargeParts = ReadonlyMap<number, number>

/** Bytes that are parsed at once: of the costliest, distinct short texts, a few milliseconds. */
export const PIECE_BYTES = 32 * 1_024

/** Bytes that are looked through at once, about a millisecond. */
const SLICE_BYTES = 1_024 * 1_024

export const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
export const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d]

/**
 * Looks through JSON text and lets other work have its turn. Returns what it has too much of, looking no
 * further, or its large parts. Text that is no JSON is found by the parser.
 */
export async function scanJson(
  bytes: Uint8Array,
  { values: mostValues, fields: mostFields, levels: mostLevels }: JsonLimits,
): Promise<{ excess: string } | { large: LargeParts }> {
  const large = new Map<number, number>()
  const open: { start: number; fields: number }[] = []
  let values = 0
  let isText = false
  let sliceEnd = SLICE_BYTES
  for (let at = 0; at < bytes.length; at += 1) {
    if (at >= sliceEnd) {
      await yieldToEventLoop()
      sliceEnd = at + SLICE_BYTES
    }
    const byte = bytes[at]
    if (isText) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      const start = open.pop()?.start
      if (start !== undefined && at - start > PIECE_BYTES) large.set(start, at)
    } else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values += 1
      if (values > mostValues) return { excess: `must have at most ${mostValues} fields and items` }
      if (byte === COMMA) {
        const part = open.at(-1)
        if (part && bytes[part.start] === OPEN_OBJECT && (part.fields += 1) >= mostFields)
          return { excess: `must have at most ${mostFields} fields in an object` }
        continue
      }
      open.push({ start: at, fields: 0 })
      if (open.length >= mostLevels)
        return { excess: `must not be nested more than ${mostLevels} levels deep` }
    }
  }
  return { large }
}
