import { yieldEvery } from '../event-loop'
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  PIECE_BYTES,
  QUOTE,
  type LargeParts,
} from './scan'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Some programs write a mark before UTF-8. */
const MARK_BYTES = 3
const isMarked = ([first, second, third]: Uint8Array): boolean =>
  first === 0xef && second === 0xbb && third === 0xbf

/** How long is parsed before other work has its turn, milliseconds. */
const HOLD_MS = 4

/**
 * Parses JSON text as `JSON.parse` does, in pieces between which other work has its turn: to parse a few
 * megabytes at once takes up to a second. Throws SyntaxError, or TypeError for bytes that are not UTF-8.
 */
export const parseJson = (bytes: Uint8Array, large: LargeParts): Promise<unknown> =>
  new PieceParser(bytes, large).parse()

class PieceParser {
  private readonly yieldIfDue = yieldEvery(HOLD_MS)

  constructor(
    private readonly bytes: Uint8Array,
    private readonly large: LargeParts,
  ) {}

  async parse(): Promise<unknown> {
    const first = isMarked(this.bytes) ? MARK_BYTES : 0
    const start = this.afterSpace(first)
    const end = this.large.get(start)
    if (end === undefined) return JSON.parse(utf8.decode(this.bytes.subarray(first)))
    this.requireSpace(end + 1, this.bytes.length)
    return await this.part(start, end)
  }

  /** Parses a large list or object. */
  private async part(start: number, end: number): Promise<unknown> {
    const isList = this.bytes[start] === OPEN_LIST
    if (this.bytes[end] !== (isList ? CLOSE_LIST : CLOSE_OBJECT)) throw malformed()
    const whole: unknown[] | Record<string, unknown> = isList ? [] : {}
    const take = (piece: unknown): void => {
      if (Array.isArray(whole)) for (const item of piece as unknown[]) whole.push(item)
      else for (const [name, value] of Object.entries(piece as object)) setOwn(whole, name, value)
    }
    /** Where the members begin that are not parsed yet, and the last of them. */
    let [from, member] = [start + 1, start + 1]
    let levels = 0
    for (let at = start + 1; at <= end; at += 1) {
      const byte = this.bytes[at]
      if (byte === QUOTE) at = this.endOfText(at)
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        const inner = this.large.get(at)
        if (inner === undefined) levels += 1
        else {
          if (member > from) take(await this.members(from, member - 1, isList))
          const name = this.nameOf(member, at, isList)
          const value = await this.part(at, inner)
          take(isList ? [value] : { [String(name)]: value })
          at = this.afterSpace(inner + 1)
          if (at !== end && this.bytes[at] !== COMMA) throw malformed()
          if (at !== end) this.requireMember(at + 1, end)
          from = member = at === end ? end + 1 : at + 1
        }
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) levels -= 1
      else if (byte === COMMA && levels === 0) {
        member = at + 1
        if (at - from < PIECE_BYTES) continue
        take(await this.members(from, at, isList))
        this.requireMember(at + 1, end)
        from = at + 1
      }
    }
    if (from <= end && this.afterSpace(from) < end) take(await this.members(from, end, isList))
    return whole
  }

  /** Parses some members of a list or an object. */
  private async members(from: number, end: number, isList: boolean): Promise<unknown> {
    this.requireMember(from, end)
    await this.yieldIfDue()
    const text = utf8.decode(this.bytes.subarray(from, end))
    await this.yieldIfDue() // one text may have megabytes
    return JSON.parse(isList ? `[${text}]` : `{${text}}`)
  }

  /** Returns the name of the field whose value begins at `at`. */
  private nameOf(member: number, at: number, isList: boolean): string | null {
    if (isList) {
      this.requireSpace(member, at)
      return null
    }
    const start = this.afterSpace(member)
    const end = this.bytes[start] === QUOTE ? this.endOfText(start) : start
    const colon = this.afterSpace(end + 1)
    if (end === start || this.bytes[colon] !== COLON) throw malformed()
    this.requireSpace(colon + 1, at)
    return JSON.parse(utf8.decode(this.bytes.subarray(start, end + 1))) as string
  }

  private endOfText(start: number): number {
    for (let at = start + 1; at < this.bytes.length; at += 1)
      if (this.bytes[at] === BACKSLASH) at += 1
      else if (this.bytes[at] === QUOTE) return at
    throw malformed()
  }

  private afterSpace(from: number): number {
    let at = from
    while (SPACES.has(this.bytes[at] ?? 0)) at += 1
    return at
  }

  private requireSpace(from: number, end: number): void {
    if (this.afterSpace(from) < end) throw malformed()
  }

  /** Requires that something is between a comma and the end. */
  private requireMember(from: number, end: number): void {
    if (this.afterSpace(from) >= end) throw malformed()
  }
}

/** Sets a field of its own, also one that is called `__proto__`. */
function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, {
      ...{ value, writable: true, enumerable: true, configurable: true },
    })
  else object[name] = value
}

const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

const malformed = (): SyntaxError => new SyntaxError('The text is not JSON.')
