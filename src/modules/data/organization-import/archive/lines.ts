import { createHash } from 'node:crypto'

import { yieldEvery } from '../../../../infra/event-loop'
import { ArchiveFault, damaged, invalid, type ArchivePlace } from './fault'

/**
 * Longest line of any part, bytes. The largest rows are Flows: their JSON has up to 10 MiB, and a text of
 * quotes and backslashes has twice as many bytes in a line.
 */
export const MAX_LINE_BYTES = 32 * 1_024 * 1_024

/** How long lines are read without letting requests be served, milliseconds. */
const SLICE_MS = 4

const LINE_FEED = 0x0a

/** What an entry of lines must be. */
export interface ExpectedLines {
  file: string
  bytes: number | null
  sha256: string
  rows: number | null
  /** Longest line, bytes. */
  lineBytes: number
}

/** A line and its number, from 1. */
export interface ArchiveLine {
  text: string
  number: number
}

/**
 * Splits an entry into lines and yields to the event loop in between. Throws ArchiveFault for a line
 * that is too long or no UTF-8, and at the end if the bytes, the digest or the number of lines are
 * others than the manifest states.
 */
export async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
  expected: ExpectedLines,
): AsyncGenerator<ArchiveLine> {
  const hash = createHash('sha256')
  const split = new Splitter(expected)
  const yieldIfDue = yieldEvery(SLICE_MS)
  let size = 0
  let fault: ArchiveFault | null = null
  for await (const piece of bytes) {
    size += piece.length
    if (expected.bytes !== null && size > expected.bytes)
      throw damaged(`has more than the ${expected.bytes} bytes of the manifest`, expected)
    hash.update(piece)
    await yieldIfDue()
    if (fault !== null) continue
    try {
      for (const line of split.add(piece)) {
        if (expected.rows !== null && line.number > expected.rows) break
        yield line
        await yieldIfDue()
      }
    } catch (error) {
      if (!(error instanceof ArchiveFault)) throw error
      fault = error // unless the digest tells that it was changed since it was written
    }
  }
  if (fault !== null && hash.copy().digest('hex') === expected.sha256) throw fault
  requireComplete(expected, { size, rows: split.number, isEnded: split.isEnded })
  if (hash.digest('hex') !== expected.sha256)
    throw damaged('has other bytes than were written', placeOf(expected))
}

const placeOf = ({ file }: ExpectedLines): ArchivePlace => ({ file })

function requireComplete(
  expected: ExpectedLines,
  read: { size: number; rows: number; isEnded: boolean },
): void {
  if (expected.bytes !== null && read.size !== expected.bytes)
    throw damaged(`has ${read.size} bytes instead of ${expected.bytes}`, placeOf(expected))
  if (!read.isEnded) throw damaged('ends in the middle of a line', placeOf(expected))
  if (expected.rows !== null && read.rows !== expected.rows)
    throw damaged(`has ${read.rows} rows instead of ${expected.rows}`, placeOf(expected))
}

/** Collects pieces until a line ends. */
class Splitter {
  number = 0
  private parts: Uint8Array[] = []
  private size = 0
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  constructor(private readonly expected: Pick<ExpectedLines, 'file' | 'lineBytes'>) {}

  /** Whether the last line ended. */
  get isEnded(): boolean {
    return this.size === 0
  }

  *add(piece: Uint8Array): Generator<ArchiveLine> {
    let from = 0
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, from)) {
      this.keep(piece.subarray(from, at))
      this.number += 1
      yield { text: this.take(), number: this.number }
      from = at + 1
    }
    if (from < piece.length) this.keep(piece.slice(from))
  }

  private keep(part: Uint8Array): void {
    this.size += part.length
    if (this.size > this.expected.lineBytes)
      throw invalid('the line is too long', { file: this.expected.file, line: this.number + 1 })
    this.parts.push(part)
  }

  private take(): string {
    const [first] = this.parts
    const whole = this.parts.length === 1 && first ? first : Buffer.concat(this.parts)
    this.parts = []
    this.size = 0
    try {
      return this.decoder.decode(whole)
    } catch {
      throw invalid('the line is no UTF-8', { file: this.expected.file, line: this.number })
    }
  }
}
