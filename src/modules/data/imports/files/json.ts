import { isObject, type JsonObject } from '../../../../platform/lenient-json'
import { GrowthCollector } from '../../../../infra/gc'
import { invalidFileError, type SheetRow } from '../../../../infra/sheets/row'
import { yieldEvery } from '../../../../infra/event-loop'

/** Maximum length of an element, characters. A longer one has no closing bracket. */
const MAX_ELEMENT_LENGTH = 256 * 1_024

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]
/** Work between yields, milliseconds. A piece of the file can have 100,000 short objects. */
const MAX_STEP_MS = 4
/** Spaces, line ends, commas and the byte order mark. */
const BETWEEN = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, 0xfeff])

/** Reports whether a text starts like a JSON list of objects or like a sequence of objects. */
export const looksLikeJson = (text: string): boolean =>
  /^(?:\u00EF\u00BB\u00BF)?\s*(?:\[\s*\{|\[\s*\]|\{\s*")/.test(text)

/**
 * Yields the rows of a JSON file as a stream. The file is a list or a sequence of objects. The
 * first row holds the keys; a key such as `template_params.1` reads a nested value. Values other
 * than text are written as JSON. Throws InvalidError `malformed_json`, `bad_encoding`.
 */
export async function* rowsOfJson(path: string, keys: readonly string[]): AsyncGenerator<SheetRow> {
  yield { row: 1, cells: [...keys] }
  const splitter = new Splitter()
  const sweeper = new GrowthCollector()
  const yieldIfDue = yieldEvery(MAX_STEP_MS)
  let row = 1
  for await (const text of textOf(path)) {
    for (const element of splitter.take(text)) {
      row += 1
      yield { row, cells: cellsOf(read(element, row - 1), keys) }
      await yieldIfDue()
    }
    sweeper.collectIfGrown()
    await yieldIfDue()
  }
  if (!splitter.isComplete) throw broken(row)
}

const broken = (nth: number): Error =>
  invalidFileError('malformed_json', `is not a JSON list of objects, at item ${nth} or later`)

function read(element: string, nth: number): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(element)
  } catch {
    throw broken(nth)
  }
  if (!isObject(value)) throw broken(nth)
  return value
}

function cellsOf(object: JsonObject, keys: readonly string[]): string[] {
  return keys.map((key) => {
    const [first = '', ...rest] = key.split('.')
    const outer = Object.hasOwn(object, first) ? object[first] : undefined
    const inner = rest.join('.')
    const value =
      rest.length === 0
        ? outer
        : isObject(outer) && Object.hasOwn(outer, inner)
          ? outer[inner]
          : undefined
    if (value === undefined || value === null) return ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

async function* textOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const piece of Bun.file(path).stream() as AsyncIterable<Uint8Array>)
      yield decoder.decode(piece, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw invalidFileError('bad_encoding', 'is not UTF-8')
  }
}

/**
 * Splits a stream of text into its outermost objects. Only commas, spaces and the brackets of one
 * list may stand between them.
 */
class Splitter {
  private element = ''
  private depth = 0
  private isInText = false
  private isEscaped = false
  private count = 0

  private list: 'none' | 'open' | 'closed' = 'none'

  /** Whether every opened object and list was closed. */
  get isComplete(): boolean {
    return this.depth === 0 && this.list !== 'open'
  }

  /** Checks one character between two objects. */
  private pass(sign: number): void {
    const isOpening = sign === OPEN_LIST && this.list === 'none' && this.count === 0
    const isClosing = sign === CLOSE_LIST && this.list === 'open'
    if (isOpening) this.list = 'open'
    else if (isClosing) this.list = 'closed'
    else if (!BETWEEN.has(sign)) throw broken(this.count + 1)
  }

  *take(text: string): Generator<string> {
    let from = this.depth > 0 ? 0 : -1
    for (let at = 0; at < text.length; at += 1) {
      const sign = text.charCodeAt(at)
      if (this.depth === 0) {
        if (sign === OPEN && this.list !== 'closed') {
          this.depth = 1
          from = at
        } else this.pass(sign)
        continue
      }
      if (!this.closes(sign)) continue
      yield this.element + text.slice(from, at + 1)
      this.element = ''
      this.count += 1
      from = -1
    }
    if (this.depth > 0) this.element += text.slice(from)
    if (this.element.length > MAX_ELEMENT_LENGTH) throw broken(this.count + 1)
  }

  /** Reads one character of an object. Returns whether it ends the object. */
  private closes(sign: number): boolean {
    if (this.isInText) {
      if (this.isEscaped) this.isEscaped = false
      else if (sign === BACKSLASH) this.isEscaped = true
      else if (sign === QUOTE) this.isInText = false
      return false
    }
    if (sign === QUOTE) this.isInText = true
    else if (sign === OPEN) this.depth += 1
    else if (sign === CLOSE) this.depth -= 1
    return this.depth === 0
  }
}
