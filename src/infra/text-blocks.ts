import { gt, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { inOrganization, type Ctx } from './ctx'

/**
 * The texts that rows of a list are found by, many in one row: to look at a hundred thousand texts is quick, to look at a hundred thousand rows
 * is not. Triggers keep them. Which block a row belongs to is told by the end of its id, so the blocks of an organization are of one size; each row is a line of
 * its block: its text in lower case with a separator for each line break, some facts in upper case, and when the row was made, in milliseconds.
 */
export interface TextBlocks extends SQLiteTable {
  organizationId: SQLiteColumn
  block: SQLiteColumn
  lines: SQLiteColumn
}

const SEPARATOR = '\u001f'

/** How many hexadecimal digits, in upper case, tell when a row was made. */
const TIME_DIGITS = 11

/** Blocks that are read at once. */
const READ_AT_ONCE = 512

/** Rows found beyond these are not told one by one. */
const FEW = 1_000

/** What a search came to. */
export interface TextsFound {
  count: number
  /** When the rows were made, while they are few; `null`: too many to be looked up. */
  timesMs: number[] | null
}

/** Whether a line is asked for by its facts, which end at `end`, and by its time. */
export type LineFilter = (lines: string, end: number, createdAtMs: () => number) => boolean

/** What is looked for, and what was found so far. */
interface Search {
  text: string
  /** Whether facts and times can hold it as well. */
  isAmbiguous: boolean
  isWanted: LineFilter | undefined
  count: number
  timesMs: Set<number>
}

/** What a search is about, besides the text. */
interface SearchOptions {
  /** Which lines are asked for. */
  isWanted?: LineFilter | undefined
  /** Whether it is enough to know that there are many; the count then is too low. */
  isFewOnly?: boolean
}

/**
 * Finds the texts of the scope's organization that hold what is typed; whatever signs are in it mean themselves. `typed` is in lower case, as
 * the texts are.
 */
export function findTexts(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  blocks: TextBlocks,
  typed: string,
  options: SearchOptions = {},
): TextsFound {
  if (typed.includes(SEPARATOR)) return { count: 0, timesMs: [] }
  const { isWanted, isFewOnly = false } = options
  const isAmbiguous = /\n|^[\d_ ]*$/.test(typed)
  const search: Search = { text: typed.replaceAll('\n', SEPARATOR), isAmbiguous, isWanted, count: 0, timesMs: new Set() }
  for (let after = ''; ;) {
    const own = inOrganization(ctx, blocks, gt(blocks.block, after))
    const rows = ctx.db.orm.values<[string, string]>(
      sql`select ${blocks.block}, ${blocks.lines} from ${blocks} where ${own} order by ${blocks.block} limit ${READ_AT_ONCE}`,
    )
    for (const [, lines] of rows) findIn(lines, search)
    const last = rows.at(-1)
    if (rows.length < READ_AT_ONCE || !last || (isFewOnly && search.count > FEW)) break
    ;[after] = last
  }
  return { count: search.count, timesMs: search.count > FEW ? null : [...search.timesMs] }
}

function findIn(lines: string, search: Search): void {
  const { text, isAmbiguous, isWanted } = search
  let end = -1
  for (let at = lines.indexOf(text); at >= 0; at = lines.indexOf(text, end + 1)) {
    end = lines.indexOf('\n', at)
    const factsEnd = end - TIME_DIGITS - 1
    // What is found first behind the text of a line is not in its text.
    if (isAmbiguous && at + text.length > lines.lastIndexOf(SEPARATOR, factsEnd - 1)) continue
    if (isWanted && !isWanted(lines, factsEnd, () => timeOf(lines, end))) continue
    search.count += 1
    if (search.count <= FEW) search.timesMs.add(timeOf(lines, end))
  }
}

const timeOf = (lines: string, end: number): number => Number.parseInt(lines.slice(end - TIME_DIGITS, end), 16)

/** Whether the facts of a line end with these. */
export const endsWith = (lines: string, end: number, facts: string): boolean => lines.startsWith(facts, end - facts.length)

/** Whether the facts of a line begin with these. */
export const beginsWith = (lines: string, end: number, facts: string): boolean =>
  lines.startsWith(facts, lines.lastIndexOf(SEPARATOR, end - 1) + 1)

/** The condition that a row was made at one of some times. */
export const madeAt = (column: SQLiteColumn, timesMs: number[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(timesMs)}))`
