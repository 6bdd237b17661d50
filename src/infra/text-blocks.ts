import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import type { Ctx } from './ctx'
import { resultOf, textsOf, type TextBlocks } from './kept-texts'

/*
 * The texts that rows of a list are found by, many in one row: to look at a hundred thousand texts
 * is quick, to look at a hundred thousand rows is not. Triggers keep them. Which block a row
 * belongs to is told by the end of its id, so the blocks of an organization are of one size; each
 * row is a line of its block: its text in lower case with a separator for each line break, some
 * facts in upper case, and when the row was made, in milliseconds.
 */

const SEPARATOR = '\u001f'

/** How many hexadecimal digits, in upper case, tell when a row was made. */
const TIME_DIGITS = 11

/** Rows found beyond these are not told one by one. */
const FEW = 1_000

/**
 * Texts beyond these are not put in order: where so many are found, the rows of a page are not far
 * apart.
 */
const MAX_SORTED = 20_000

/** A page of what was found, which begins so far behind its first row and has so many. */
export interface FoundPage {
  order: 'newest' | 'text'
  offset: number
  limit: number
}

/**
 * What the rows of a page have: when they were made or their texts, and how many others that have
 * the same as the first one come before it.
 */
export type OnPage = { timesMs: number[]; skip: number } | { texts: string[]; skip: 0 }

/** What a search came to. */
export interface TextsFound {
  count: number
  /** When the rows were made, while they are few; `null`: too many to be looked up. */
  timesMs: number[] | null
  /** What the rows of the page asked for have, where that is known. */
  onPage: OnPage | null
}

/**
 * Which lines are asked for, by their facts, which end at `end`, and their time (`timeBehind`);
 * `name` tells it from other filters of the list.
 */
export interface LineFilter {
  name: string
  isWanted: (lines: string, end: number) => boolean
}

/** What is looked for, and what was found so far. */
interface Search {
  text: string
  /** Whether facts and times can hold it as well. */
  isAmbiguous: boolean
  isWanted: LineFilter['isWanted'] | undefined
  count: number
  /** Times of the rows, all of them where the newest are asked for, else the first ones. */
  timesMs: number[]
  mostTimes: number
  /** Texts of the rows, where they are asked for. */
  texts: string[]
  mostTexts: number
}

/** What a search is about, besides the text. */
interface SearchOptions {
  filter?: LineFilter | undefined
  /** Whether it is enough to know that there are many; the count then is too low. */
  isFewOnly?: boolean
  page?: FoundPage | undefined
}

/**
 * Finds the texts of the scope's organization that hold what is typed; whatever signs are in it
 * mean themselves. `typed` is in lower case, as the texts are.
 */
export function findTexts(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  blocks: TextBlocks,
  typed: string,
  { filter, isFewOnly = false, page }: SearchOptions = {},
): TextsFound {
  if (typed.includes(SEPARATOR)) return { count: 0, timesMs: [], onPage: null }
  const order = page?.order ?? null
  const found = resultOf(
    ctx,
    blocks,
    JSON.stringify([typed, filter?.name, isFewOnly, order]),
    () => {
      const search: Search = {
        text: typed.replaceAll('\n', SEPARATOR),
        isAmbiguous: /\n|^[\d_ ]*$/.test(typed),
        isWanted: filter?.isWanted,
        count: 0,
        timesMs: [],
        mostTimes: order === 'newest' ? Infinity : FEW,
        texts: [],
        mostTexts: order === 'text' ? MAX_SORTED : 0,
      }
      for (const lines of textsOf(ctx, blocks)) {
        findIn(lines, search)
        if (isFewOnly && search.count > FEW) break
      }
      return inOrder(search, order)
    },
  )
  const isFew = found.count <= FEW
  return {
    count: found.count,
    timesMs: isFew ? [...new Set(found.oldestMs)] : null,
    onPage: isFew || !page ? null : onPage(found, page),
  }
}

/** What was found, in the order of a list. */
interface Found {
  count: number
  /** Times of the rows, the oldest first where a page of the newest is asked for. */
  oldestMs: Float64Array
  /** Texts in their order; `null` where it is not known. */
  texts: string[] | null
}

function inOrder({ count, timesMs, texts }: Search, order: FoundPage['order'] | null): Found {
  const times = Float64Array.from(timesMs)
  // Texts beyond the first plane are in another order here than in the database.
  const isOrdered =
    order === 'text' &&
    count === texts.length &&
    !texts.some((text) => /[\ud800-\udfff]/.test(text))
  return {
    count,
    oldestMs: order === 'newest' ? times.sort() : times,
    texts: isOrdered ? texts.toSorted() : null,
  }
}

function onPage(
  { count, oldestMs, texts }: Found,
  { order, offset, limit }: FoundPage,
): OnPage | null {
  if (order === 'text') return texts && { texts: texts.slice(offset, offset + limit), skip: 0 }
  const end = Math.max(0, count - offset)
  const shown = oldestMs.subarray(Math.max(0, end - limit), end)
  const first = shown.at(-1)
  return {
    timesMs: [...new Set(shown)],
    skip: first === undefined ? 0 : oldestMs.lastIndexOf(first) + 1 - end,
  }
}

function findIn(lines: string, search: Search): void {
  const { text, isAmbiguous, isWanted } = search
  let end = -1
  for (let at = lines.indexOf(text); at >= 0; at = lines.indexOf(text, end + 1)) {
    end = lines.indexOf('\n', at)
    const factsEnd = end - TIME_DIGITS - 1
    // What is found first behind the text of a line is not in its text.
    if (isAmbiguous && at + text.length > lines.lastIndexOf(SEPARATOR, factsEnd - 1)) continue
    if (isWanted && !isWanted(lines, factsEnd)) continue
    search.count += 1
    if (search.timesMs.length < search.mostTimes) search.timesMs.push(timeBehind(lines, factsEnd))
    if (search.texts.length < search.mostTexts) search.texts.push(textOf(lines, at, factsEnd))
  }
}

/**
 * The time behind the facts of a line, epoch milliseconds. Read by hand: a search may find all
 * there are.
 */
export function timeBehind(lines: string, end: number): number {
  let ms = 0
  for (let at = end + 1; at <= end + TIME_DIGITS; at += 1) {
    const code = lines.charCodeAt(at)
    ms = ms * 16 + (code < A ? code - ZERO : code - A + 10)
  }
  return ms
}

const ZERO = 48
const A = 65

/** The text of the line around a place. */
const textOf = (lines: string, at: number, factsEnd: number): string =>
  lines
    .slice(lines.lastIndexOf('\n', at) + 1, lines.lastIndexOf(SEPARATOR, factsEnd - 1))
    .replaceAll(SEPARATOR, '\n')

/** Whether the facts of a line end with these. */
export const endsWith = (lines: string, end: number, facts: string): boolean =>
  lines.startsWith(facts, end - facts.length)

/** Whether the facts of a line begin with these. */
export const beginsWith = (lines: string, end: number, facts: string): boolean =>
  lines.startsWith(facts, lines.lastIndexOf(SEPARATOR, end - 1) + 1)

/** The condition that a row was made at one of some times. */
export const madeAt = (column: SQLiteColumn, timesMs: number[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(timesMs)}))`

/** The condition that a row is on a page of what was found; those to be skipped are among them. */
export const isOnPage = (
  found: OnPage,
  columns: { createdAtMs: SQLiteColumn; text: SQLiteColumn },
): SQL =>
  'timesMs' in found
    ? madeAt(columns.createdAtMs, found.timesMs)
    : sql`${columns.text} in (select value from json_each(${JSON.stringify(found.texts)}))`
