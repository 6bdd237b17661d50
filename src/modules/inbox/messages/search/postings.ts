import { eq, inArray, sql } from 'drizzle-orm'

import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import type { ReadDb } from '../../../../infra/db/connection'
import { messages, messageWords } from '../table'
import type { IndexTerm } from './parse-query'

/**
 * Reads the full-text index in short statements, however many messages there are.
 * FTS5 is only asked for one word or a prefix of two or three letters, for which it has ordered
 * lists. Its own work is unbounded: it collects all rows of a longer prefix first, and compares two
 * frequent words that never occur together to the end.
 */

/** Rows read with the first statement of a list, and with each later one. */
const FIRST_PAGE = 200
const PAGE = 1_000

/** Texts compared per statement. */
const TEXT_BATCH = 25

/**
 * Maximum number of occurrences of a prefix that are read and sorted; beyond it the prefix list is
 * read.
 */
const MAX_PLACES = 2_000

/** Sorts after every character of a word. */
const LAST_CHARACTER = '\u{10FFFF}'

/** An index row and its message. */
export interface Hit {
  row: number
  messageId: string
}

/** A lookup: scope as an FTS5 expression, index terms, and the test of the text. */
interface HitQuery {
  scope: string
  indexTerms: IndexTerm[]
  matches: (words: string) => boolean
}

/** Some hits, newest first, and the row above which everything has been checked. */
interface HitBatch {
  hits: Hit[]
  below: number
}

/** Reads rows of one list below a row, newest first. */
type List = (below: number, most: number) => number[]

/** Finds messages below an index row, newest first, in batches. */
export function* findHits(ctx: ReadCtx, hitQuery: HitQuery, start: number): Generator<HitBatch> {
  const lists: List[] = [(below, most) => rowsOf(ctx, hitQuery.scope, { below, most })]
  for (const term of hitQuery.indexTerms) lists.push(listOf(ctx, term))
  for (let [below, most] = [start, FIRST_PAGE]; below > 0; most = PAGE) {
    const pages = lists.map((list): Page => {
      const rows = list(below, most)
      return { rows, end: rows.length < most ? 0 : (rows.at(-1) ?? 0) }
    })
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

/** Rows of a list, newest first, complete down to `end`; 0 at the end of the list. */
interface Page {
  rows: number[]
  end: number
}

/** The page that reaches furthest down, because its list has the fewest rows here. */
const rarestOf = (pages: Page[]): Page =>
  pages.reduce((rarest, page) =>
    page.end < rarest.end || (page.end === rarest.end && page.rows.length < rarest.rows.length)
      ? page
      : rarest,
  )

/** Rows that a page does not exclude; it covers nothing below its end. */
function notExcludedBy({ rows, end }: Page, others: number[]): number[] {
  const known = new Set(rows)
  return others.filter((row) => row < end || known.has(row))
}

function rowsOf(
  { db }: Pick<ReadCtx, 'db'>,
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

function listOf(ctx: ReadCtx, { match, start }: IndexTerm): List {
  const few = start === null ? null : fewRowsWith(ctx.db, start)
  if (few === null) return (below, most) => rowsOf(ctx, match, { below, most })
  return (below, most) => {
    const from = few.findIndex((row) => row < below)
    return from < 0 ? [] : few.slice(from, from + most)
  }
}

/** Rows with words that start with a prefix, newest first; `null` if there are too many. */
function fewRowsWith(db: ReadDb, start: string): number[] | null {
  // The vocabulary table of the index is temporary: it belongs to the connection.
  db.sqlite.run(
    'create virtual table if not exists temp.message_terms using fts5vocab(main, message_search, instance)',
  )
  const places = db.sqlite
    .query<{ doc: number }, [string, string, number]>(
      'select doc from temp.message_terms where term >= ? and term < ? limit ?',
    )
    .all(start, start + LAST_CHARACTER, MAX_PLACES + 1)
  if (places.length > MAX_PLACES) return null
  return [...new Set(places.map(({ doc }) => doc))].toSorted((a, b) => b - a)
}

/** The words of a message, which are those of its text if they are not stored. */
const WORDS = sql<string>`coalesce(${messageWords.words}, lower(${messages.content} ->> 'text'))`

/** Filters rows by organization and text, newest first. */
const hitsAmong = (ctx: ReadCtx, rows: number[], matches: (words: string) => boolean): Hit[] =>
  ctx.db.orm
    .select({ row: messageWords.row, messageId: messages.id, words: WORDS })
    .from(messageWords)
    .innerJoin(messages, eq(messages.row, messageWords.row))
    .where(inOrganization(ctx, messageWords, inArray(messageWords.row, rows)))
    .orderBy(sql`${messageWords.row} desc`)
    .all()
    .filter(({ words }) => matches(words))
    .map(({ row, messageId }) => ({ row, messageId }))
