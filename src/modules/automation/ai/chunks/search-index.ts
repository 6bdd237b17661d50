import type { Db } from '../../../../infra/db/connection'
import { indexedWords } from './words'

/** Index pages merged after each change. FTS5 alone sometimes merges hundreds at once. */
const MERGED_PAGES = 16

/** A context as a word of the index, so that a search reads only the chunks of its contexts. */
const contextWord = (contextId: string): string => `c${contextId.replaceAll('-', '')}`

interface IndexedChunk {
  row: number
  contextId: string
  text: string
}

/** Adds chunks to the index. Belongs into the transaction that writes them. */
export function indexChunks(db: Db, chunks: readonly IndexedChunk[]): void {
  const add = db.sqlite.query('insert into ai_search (rowid, scope, words) values (?, ?, ?)')
  for (const { row, contextId, text } of chunks)
    add.run(row, contextWord(contextId), indexedWords(text))
  merge(db)
}

/** Removes chunks from the index. Belongs into the transaction that deletes them. */
export function unindexChunks(db: Db, rows: readonly number[]): void {
  const remove = db.sqlite.query('delete from ai_search where rowid = ?')
  for (const row of rows) remove.run(row)
  merge(db)
}

const merge = ({ sqlite }: Db): void => {
  sqlite.query(`insert into ai_search (ai_search, rank) values ('merge', ${MERGED_PAGES})`).run()
}

/** Returns the row numbers of the chunks of some contexts that match a query, best first. */
export const rankedChunks = (
  db: Db,
  { query, contextIds, limit }: { query: string; contextIds: readonly string[]; limit: number },
): number[] =>
  db.sqlite
    .query<{ row: number }, [string, number]>(
      'select rowid as row from ai_search where ai_search match ? order by bm25(ai_search, 0, 1), rowid limit ?',
    )
    .all(`scope : (${contextIds.map(contextWord).join(' OR ')}) AND words : (${query})`, limit)
    .map(({ row }) => row)
