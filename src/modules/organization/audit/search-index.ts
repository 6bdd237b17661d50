import { max } from 'drizzle-orm'

import { FEW_CANDIDATES, ROWS_PER_READ, type Candidates } from '../../../infra/bounded-list'
import { acrossOrganizations, inOrganization, type Ctx } from '../../../infra/ctx'
import type { Db } from '../../../infra/db/connection'
import { auditLogs } from './table'

type Scope = Pick<Ctx, 'db' | 'organizationId'>

/** Number of row numbers per organization. A search reads only the range of its organization. */
const ROWS_PER_ORGANIZATION = 2 ** 32

/** Index pages merged after each entry. Without it, FTS5 occasionally merges hundreds at once. */
const MERGED_PAGES = 16

const newestRow = ({ db, organizationId }: Scope): number | null =>
  db.orm
    .select({ row: max(auditLogs.row) })
    .from(auditLogs)
    .where(inOrganization({ organizationId }, auditLogs))
    .get()?.row ?? null

/** Returns the row number of the next entry. Belongs into the transaction that writes it. */
export function nextRow(ctx: Scope): number {
  const newest = newestRow(ctx)
  if (newest !== null) return newest + 1
  const last =
    ctx.db.orm
      .select({ row: max(auditLogs.row) })
      .from(auditLogs)
      .where(acrossOrganizations('the range of a new organization follows the last range in use'))
      .get()?.row ?? 0
  return (Math.floor(last / ROWS_PER_ORGANIZATION) + 1) * ROWS_PER_ORGANIZATION
}

/** An entry in the index. */
interface Indexed {
  row: number
  words: string
}

/** Adds a new entry to the index. Belongs into the transaction that writes it. */
export function indexEntry({ sqlite }: Db, { row, words }: Indexed): void {
  sqlite.query('insert into audit_search (rowid, words) values (?, ?)').run(row, words)
  sqlite
    .query(`insert into audit_search (audit_search, rank) values ('merge', ${MERGED_PAGES})`)
    .run()
}

/** Removes an entry from the index. Belongs into the transaction that deletes it. */
export function unindexEntry({ sqlite }: Db, { row, words }: Indexed): void {
  sqlite
    .query("insert into audit_search (audit_search, rowid, words) values ('delete', ?, ?)")
    .run(row, words)
}

/** Maximum number of trigrams of a text that are compared to find the rarest. */
const MAX_COMPARED = 30

/** Number of entries that are read to compare the frequency of trigrams. */
const COMPARED_ROWS = 500

/** If more than this share of entries matches, reading the list in its order is faster. */
const MAX_SHARE = 0.1

/**
 * Returns the row numbers of entries that may contain a text: those with its rarest trigram.
 * Returns `null` for a text of fewer than three characters, which has no trigram, and for a text of
 * frequent trigrams.
 */
export function entriesWithText(ctx: Scope, text: string): Candidates | null {
  const last = newestRow(ctx)
  const trigrams = trigramsOf(text)
  if (last === null || trigrams.length === 0) return null
  const first = Math.floor(last / ROWS_PER_ORGANIZATION) * ROWS_PER_ORGANIZATION
  const read = (trigram: string, below: number, most: number): number[] =>
    rowsWith(ctx.db, { trigram, first, last: below, most })
  const [rarest] = trigrams
    .map((trigram) => ({ trigram, oldest: oldestOf(read(trigram, last, COMPARED_ROWS)) }))
    .toSorted((one, other) => one.oldest - other.oldest)
  const { trigram, oldest } = rarest ?? { trigram: '', oldest: 0 }
  const size = read(trigram, last, FEW_CANDIDATES + 1).length
  if (size > FEW_CANDIDATES && COMPARED_ROWS > (last - oldest) * MAX_SHARE) return null
  return {
    size: size > FEW_CANDIDATES ? Infinity : size,
    *batches() {
      for (let below = last; ;) {
        const rows = read(trigram, below, ROWS_PER_READ)
        yield rows.map(String)
        if (rows.length < ROWS_PER_READ) return
        below = (rows.at(-1) ?? 0) - 1
      }
    },
  }
}

/**
 * Returns the oldest of the rows read to compare. A negative number if there are no more rows;
 * fewer rows give a smaller number.
 */
const oldestOf = (rows: number[]): number =>
  rows.length < COMPARED_ROWS ? rows.length - COMPARED_ROWS : (rows.at(-1) ?? 0)

function trigramsOf(text: string): string[] {
  const characters = [...text]
  const all = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(''))
  // FTS5 ends a query at a NUL character.
  return [...new Set(all)].filter((trigram) => !trigram.includes('\0')).slice(0, MAX_COMPARED)
}

/** Returns the rows with a trigram in a range of rows, newest first. */
const rowsWith = (
  { sqlite }: Db,
  of: { trigram: string; first: number; last: number; most: number },
): number[] =>
  sqlite
    .query<{ row: number }, [string, number, number, number]>(
      'select rowid as row from audit_search where audit_search match ? and rowid between ? and ? order by rowid desc limit ?',
    )
    .all(`"${of.trigram.replaceAll('"', '""')}"`, of.first, of.last, of.most)
    .map(({ row }) => row)
