import type { Heading } from './columns'
import type { SheetRow } from '../../../infra/sheets/row'

/**
 * A stored row: its number, the cells of all headings, also of those that are left out, as a draft
 * may still choose them, and whether it has cells beyond the last heading.
 */
export type StagedRow = [row: number, cells: string[], hasMore: boolean]

/** Number of characters kept of a cell. It exceeds every column's limit, so longer cells fail. */
const MAX_CELL_LENGTH = 5_000

/** Number of rows and bytes read or written at once. A row can have a hundred long cells. */
const LINES_AT_ONCE = 500
const BYTES_AT_ONCE = 1_024 * 1_024

/** Yields the rows as lines of JSON and calls `counted` for each. */
export async function* writtenRows(
  rows: AsyncIterable<SheetRow>,
  headings: Heading[],
  counted: () => void,
): AsyncGenerator<Uint8Array> {
  let lines: string[] = []
  let length = 0
  for await (const { row, cells } of rows) {
    counted()
    const stored: StagedRow = [
      row,
      headings.map((_, place) => (cells[place] ?? '').trim().slice(0, MAX_CELL_LENGTH)),
      cells.slice(headings.length).some((cell) => cell.trim() !== ''),
    ]
    const line = JSON.stringify(stored)
    lines.push(line)
    length += line.length
    if (lines.length < LINES_AT_ONCE && length < BYTES_AT_ONCE) continue
    yield Buffer.from(`${lines.join('\n')}\n`)
    lines = []
    length = 0
  }
  if (lines.length > 0) yield Buffer.from(`${lines.join('\n')}\n`)
}

/** A row with the position after it, bytes from the beginning of the file. */
export interface RowWithEnd {
  stored: StagedRow
  end: number
}

const NEWLINE = 0x0a

/** Yields stored rows from a position in batches. */
export async function* readRows(path: string, position: number): AsyncGenerator<RowWithEnd[]> {
  let rest = Buffer.alloc(0)
  let place = position
  let rows: RowWithEnd[] = []
  let length = 0
  for await (const piece of Bun.file(path).slice(position).stream() as AsyncIterable<Uint8Array>) {
    const bytes = Buffer.concat([rest, piece])
    let from = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      place += end + 1 - from
      rows.push({ stored: JSON.parse(bytes.toString('utf8', from, end)) as StagedRow, end: place })
      length += end + 1 - from
      from = end + 1
      if (rows.length < LINES_AT_ONCE && length < BYTES_AT_ONCE) continue
      yield rows
      rows = []
      length = 0
    }
    rest = Buffer.from(bytes.subarray(from))
  }
  if (rows.length > 0) yield rows
}
