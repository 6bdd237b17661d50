import type { CsvError, Parser } from 'csv-parse'

import type { InvalidError } from '../../lib/errors'
import { yieldToEventLoop } from '../event-loop'
import { GrowthCollector } from '../gc'
import { MAX_ROW_LENGTH, rowTooLong, invalidFileError, type SheetRow } from './row'

/** Text parsed before other work runs: a few milliseconds of work. */
const MAX_PIECE_LENGTH = 16 * 1_024
const MAX_PIECE_LINES = 500
const MAX_PIECE_CELLS = 2_000

/** Delimiters in a row, in cells too. A row of so many cells is refused before it is read to its end. */
const MAX_ROW_DELIMITERS = 40_000

/** Text examined to detect the delimiter, characters. Valid headings are shorter. */
const MAX_FIRST_LINE_LENGTH = 256 * 1_024

/** Possible delimiters; the most frequent one in the first line is used. */
const DELIMITERS = [',', ';', '\t', '|']

const LINE_ENDS = ['\r\n', '\n', '\r']

/**
 * Yields the rows of a CSV file. Accepts UTF-8 with or without a byte order mark and UTF-16 with
 * one; commas, semicolons, tabs or bars between cells; any line ends. Throws InvalidError
 * `bad_encoding`, `malformed_csv`, and `row_too_long` as soon as a row is.
 */
export async function* rowsOfCsv(path: string): AsyncGenerator<SheetRow> {
  const pieces = textOf(path)
  const first = await firstLine(pieces)
  const { parse, CsvError } = await import('csv-parse')
  const parser = parse({
    delimiter: delimiterOf(first.line),
    record_delimiter: first.end ?? LINE_ENDS, // the parser's own detection creates several objects per character
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: false,
    max_record_size: MAX_ROW_LENGTH,
  })
  const feeding = feed(parser, first.read, pieces)
  let row = 0
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      row += 1
      yield { row, cells }
    }
  } catch (error) {
    throw error instanceof CsvError ? problemOf(error) : error
  } finally {
    parser.destroy()
    await feeding
  }
}

/**
 * Feeds the text to the parser as fast as it is processed. Errors surface where the rows are read.
 * The parser counts the characters of cells but not the delimiters between them, so an endless row
 * is detected here.
 */
async function feed(parser: Parser, first: string, rest: AsyncIterable<string>): Promise<void> {
  let unfinished = 0
  let delimiters = 0
  const sweeper = new GrowthCollector()
  const hand = async (text: string): Promise<void> => {
    let end = 0
    for (let from = 0; from < text.length && !parser.destroyed; from = end) {
      end = endOfPiece(text, from)
      const { records } = parser.info
      const isFull = !parser.write(text.slice(from, end))
      if (isFull) await drained(parser)
      const isUnfinished = parser.info.records === records
      unfinished = isUnfinished ? unfinished + end - from : 0
      delimiters = isUnfinished ? delimiters + delimitersIn(text, from, end) : 0
      if (unfinished > MAX_ROW_LENGTH || delimiters > MAX_ROW_DELIMITERS)
        throw rowTooLong(records + 1)
      sweeper.collectIfGrown() // the parser creates a runtime object per cell
      await yieldToEventLoop()
    }
  }
  try {
    await hand(first)
    for await (const piece of rest) {
      if (parser.destroyed) return
      await hand(piece)
    }
    parser.end()
  } catch (error) {
    parser.destroy(error instanceof Error ? error : new Error('the file could not be read'))
  }
}

/** Where the piece of a text ends that is parsed at once. */
function endOfPiece(text: string, from: number): number {
  const end = Math.min(from + MAX_PIECE_LENGTH, text.length)
  let lines = 0
  let cells = 0
  for (let at = from; at < end; at += 1) {
    const sign = text[at] ?? ''
    if (DELIMITERS.includes(sign) && ++cells === MAX_PIECE_CELLS) return at + 1
    if ((sign === '\n' || sign === '\r') && ++lines === MAX_PIECE_LINES) return at + 1
  }
  return end
}

function delimitersIn(text: string, from: number, end: number): number {
  let count = 0
  for (let at = from; at < end; at += 1) if (DELIMITERS.includes(text[at] ?? '')) count += 1
  return count
}

/** Waits until a parser accepts more input or has ended. */
function drained(parser: Parser): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      parser.off('drain', done)
      parser.off('close', done)
      resolve()
    }
    parser.on('drain', done)
    parser.on('close', done)
  })
}

function problemOf(error: CsvError): Error {
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return rowTooLong(typeof error['records'] === 'number' ? error['records'] + 1 : 1)
  const line = typeof error['lines'] === 'number' ? error['lines'] : 1
  return invalidFileError(
    'malformed_csv',
    `has an unterminated cell at or before line ${line}; look for an unpaired quotation ` + 'mark',
  )
}

/**
 * The text of a file, piece by piece, without the mark at its beginning. Throws InvalidError for
 * bytes of another encoding.
 */
async function* textOf(path: string): AsyncGenerator<string> {
  const file = Bun.file(path)
  const decoder = new TextDecoder(encodingOf(await file.slice(0, 2).bytes()), { fatal: true })
  try {
    for await (const piece of file.stream() as AsyncIterable<Uint8Array>)
      yield decoder.decode(piece, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) throw badEncoding()
    throw error
  }
}

const badEncoding = (): InvalidError =>
  invalidFileError('bad_encoding', 'is not UTF-8; save it as “CSV UTF-8” and try again')

const encodingOf = ([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' =>
  first === 0xff && second === 0xfe
    ? 'utf-16le'
    : first === 0xfe && second === 0xff
      ? 'utf-16be'
      : 'utf-8'

/** Reads until the first line is complete. Returns it with everything read so far. */
async function firstLine(
  pieces: AsyncGenerator<string>,
): Promise<{ line: string; end: string | undefined; read: string }> {
  let read = ''
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    read += next.value
    const text = withoutQuoted(read.slice(0, MAX_FIRST_LINE_LENGTH))
    // A CR at the end may be the first half of a CR LF.
    const end = /\r\n|\n|\r(?!$)/.exec(text)
    if (end !== null || read.length > MAX_FIRST_LINE_LENGTH)
      return { line: text.slice(0, end?.index), end: end?.[0], read }
  }
  return { line: withoutQuoted(read), end: undefined, read }
}

/** Returns the text without quoted parts, in which a delimiter or line end has no meaning. */
const withoutQuoted = (text: string): string => text.replaceAll(/"[^"]*("|$)/g, '')

function delimiterOf(line: string): string {
  const counts = new Map(DELIMITERS.map((delimiter) => [delimiter, 0]))
  for (const sign of line.slice(0, MAX_FIRST_LINE_LENGTH)) {
    const count = counts.get(sign)
    if (count !== undefined) counts.set(sign, count + 1)
  }
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}
