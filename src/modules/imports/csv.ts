import { parse, CsvError, type Parser } from 'csv-parse'

import type { InvalidError } from '../../lib/errors'
import { unreadable, type SheetRow } from './sheet-row'

/** Text handed to the parser before others get their turn, characters: a few milliseconds of work. */
const PIECE = 16 * 1_024

/** A line longer than this is no line: a quotation mark was never closed. Characters. */
const LONGEST_LINE = 256 * 1_024

/** What separates cells; of those in the first line the most frequent one counts. */
const DELIMITERS = [',', ';', '\t', '|']

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * The rows of a CSV file, one after the other, empty ones left out but counted. UTF-8 with or without a mark, or UTF-16 with one; commas,
 * semicolons, tabs or bars between cells; lines end in any way. Throws InvalidError `bad_encoding`, `malformed_csv`.
 */
export async function* rowsOfCsv(path: string): AsyncGenerator<SheetRow> {
  const pieces = textOf(path)
  const first = await firstLine(pieces)
  const parser = parse({
    delimiter: delimiterOf(first.line),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: false,
    max_record_size: LONGEST_LINE,
  })
  const feeding = feed(parser, first.read, pieces)
  let row = 0
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      row += 1
      if (cells.some((cell) => cell.trim() !== '')) yield { row, cells }
    }
  } catch (error) {
    throw problemOf(error)
  } finally {
    parser.destroy()
    await feeding
  }
}

/** Hands the text over, no faster than it is worked off; what goes wrong comes out where the rows are read. */
async function feed(parser: Parser, first: string, rest: AsyncIterable<string>): Promise<void> {
  const hand = async (text: string): Promise<void> => {
    for (let from = 0; from < text.length && !parser.destroyed; from += PIECE) {
      const isFull = !parser.write(text.slice(from, from + PIECE))
      if (isFull) await drained(parser)
      await pause()
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

/** Waits until a parser takes more, or has ended. */
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

function problemOf(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  const line = typeof error['lines'] === 'number' ? error['lines'] : 1
  return unreadable('malformed_csv', `has a cell that does not end, at line ${line} or before; look for a quotation mark without its pair`)
}

/** The text of a file, piece by piece, without the mark at its beginning. Throws InvalidError for bytes of another encoding. */
async function* textOf(path: string): AsyncGenerator<string> {
  const file = Bun.file(path)
  const decoder = new TextDecoder(encodingOf(await file.slice(0, 2).bytes()), { fatal: true })
  try {
    for await (const piece of file.stream() as AsyncIterable<Uint8Array>) yield decoder.decode(piece, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) throw badEncoding()
    throw error
  }
}

const badEncoding = (): InvalidError => unreadable('bad_encoding', 'is not UTF-8; save it as “CSV UTF-8” and try again')

const encodingOf = ([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' =>
  first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'

/** Reads until the first line is known, and answers what was read with it. */
async function firstLine(pieces: AsyncGenerator<string>): Promise<{ line: string; read: string }> {
  let read = ''
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    read += next.value
    const line = withoutQuoted(read).split(/\r\n|\n|\r/, 2)
    if (line.length > 1 || read.length > LONGEST_LINE) return { line: line[0] ?? '', read }
  }
  return { line: withoutQuoted(read), read }
}

/** A text without what stands in quotation marks, where a delimiter or the end of a line means nothing. */
const withoutQuoted = (text: string): string => text.replaceAll(/"(?:[^"]|"")*("|$)/g, '')

function delimiterOf(line: string): string {
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: line.split(delimiter).length }))
  return counted.reduce((best, one) => (one.count > best.count ? one : best)).delimiter
}
