import { inArray, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Db } from '../../../infra/db/connection'
import { messageWords } from '../table'
import type { IndexTerm } from './parse-query'

/**
 * Reads the full-text index in statements that take about a millisecond, however many messages
 * there are. FTS5 is only ever asked for one word, or for two or three letters a word begins with,
 * of which it has lists in the order of the rows. What it does by itself is not bounded: it gathers
 * all rows of a longer beginning before it gives the first, and two frequent words that never stand
 * together it compares to the end.
 */

/** Rows of one list read with the first statement, and with each later one. */
const FIRST_PAGE = 200
const PAGE = 1_000

/** Texts read at once. */
const TEXT_BATCH = 25

/**
 * Places of words with one beginning that are read and sorted; with more of them the list of its
 * first letters is read instead.
 */
const MAX_PLACES = 2_000

/** Above every character a word can hold. */
const LAST_CHARACTER = '\u{10FFFF}'

/** A row of the index and its message. */
export interface Hit {
  row: number
  messageId: string
}

/**
 * What is looked for: in which scope (an expression of FTS5), with which signs, and which of the
 * texts are meant.
 */
interface HitQuery {
  scope: string
  indexTerms: IndexTerm[]
  matches: (words: string) => boolean
}

/** A part of what was found, newest first, and above which row everything has been looked at. */
interface HitBatch {
  hits: Hit[]
  below: number
}

/** Rows of one list below a place, newest first, at most so many. */
type List = (below: number, most: number) => number[]

/**
 * Finds messages below a row of the index, newest first, in parts. Others may have their turn after
 * each; `null` is a part of the work that found nothing.
 */
export function* findHits(ctx: Ctx, hitQuery: HitQuery, start: number): Generator<HitBatch | null> {
  const lists: List[] = [(below, most) => rowsOf(ctx, hitQuery.scope, { below, most })]
  for (const sign of hitQuery.indexTerms) {
    lists.push(listOf(ctx, sign))
    yield null
  }
  for (let [below, most] = [start, FIRST_PAGE]; below > 0; most = PAGE) {
    const pages: Page[] = []
    for (const list of lists) {
      const rows = list(below, most)
      pages.push({ rows, end: rows.length < most ? 0 : (rows.at(-1) ?? 0) })
      yield null
    }
    const { rows, end } = rarestOf(pages)
    const inAll = pages.reduce((left, page) => notExcludedBy(page, left), rows)
    for (let from = 0; from < inAll.length; from += TEXT_BATCH) {
      const some = inAll.slice(from, from + TEXT_BATCH)
      yield { hits: hitsAmong(ctx, some, hitQuery.matches), below: some.at(-1) ?? 0 }
    }
    below = end
    yield { hits: [], below }
  }
}

/** Rows of a list, newest first, and the lowest row down to which they are all: 0 at its end. */
interface Page {
  rows: number[]
  end: number
}

/** The page that reaches furthest down: its list has the fewest rows hereabouts. */
const rarestOf = (pages: Page[]): Page =>
  pages.reduce((rarest, page) =>
    page.end < rarest.end || (page.end === rarest.end && page.rows.length < rarest.rows.length)
      ? page
      : rarest,
  )

/** Rows that a page does not exclude: it says nothing of those below its end. */
function notExcludedBy({ rows, end }: Page, others: number[]): number[] {
  const known = new Set(rows)
  return others.filter((row) => row < end || known.has(row))
}

function rowsOf(
  { db }: Pick<Ctx, 'db'>,
  match: string,
  { below, most }: { below: number; most: number },
): number[] {
  return db.sqlite
    .query<{ row: number }, [string, number, number]>(
      'select rowid as row from message_search where message_search match ? and rowid < ? order by rowid desc limit ?',
    )
    .all(match, below, most)
    .map(({ row }) => row)
}

function listOf(ctx: Ctx, { match, start }: IndexTerm): List {
  const few = start === null ? null : fewRowsWith(ctx.db, start)
  if (few === null) return (below, most) => rowsOf(ctx, match, { below, most })
  return (below, most) => {
    const from = few.findIndex((row) => row < below)
    return from < 0 ? [] : few.slice(from, from + most)
  }
}

/** Rows with words that begin like this, newest first; `null` when there are more than a few. */
function fewRowsWith(db: Db, start: string): number[] | null {
  // A list of the index itself: it belongs to the connection and to no schema.
  db.sqlite.run(
    'create virtual table if not exists temp.message_terms using fts5vocab(main, message_search, instance)',
  )
  const places = db.sqlite
    .query<{ doc: number; col: string }, [string, string, number]>(
      'select doc, col from temp.message_terms where term >= ? and term < ? limit ?',
    )
    .all(start, start + LAST_CHARACTER, MAX_PLACES + 1)
  if (places.length > MAX_PLACES) return null
  return [...new Set(places.filter(({ col }) => col === 'words').map(({ doc }) => doc))].toSorted(
    (a, b) => b - a,
  )
}

/** Those of the rows that are the organization's and whose texts are meant, newest first. */
const hitsAmong = (ctx: Ctx, rows: number[], matches: (words: string) => boolean): Hit[] =>
  ctx.db.orm
    .select({ row: messageWords.row, messageId: messageWords.messageId, words: messageWords.words })
    .from(messageWords)
    .where(inOrganization(ctx, messageWords, inArray(messageWords.row, rows)))
    .orderBy(sql`${messageWords.row} desc`)
    .all()
    .filter(({ words }) => matches(words))
    .map(({ row, messageId }) => ({ row, messageId }))
