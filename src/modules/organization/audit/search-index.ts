import { max, sql, type SQL } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, type Ctx } from '../../../infra/ctx'
import type { Db } from '../../../infra/db/connection'
import { isFew } from '../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { auditLogs } from './table'

type Scope = Pick<Ctx, 'db' | 'organizationId'>
type ReadScope = Pick<ReadCtx, 'db' | 'organizationId'>

/** Number of row numbers per organization. A search reads only the range of its organization. */
const ROWS_PER_ORGANIZATION = 2 ** 32

/** Index pages merged after each entry. Without it, FTS5 occasionally merges hundreds at once. */
const MERGED_PAGES = 16

const newestRow = ({ db, organizationId }: ReadScope): number | null =>
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

/** Maximum number of trigrams of a text that are looked up. */
const MAX_TRIGRAMS = 30

/**
 * Selects the row numbers of entries that may contain a text, if they are few: those with all of its
 * trigrams. Returns `null` for a text of fewer than three characters, which has none, and for one of
 * frequent trigrams.
 */
export function rowsWithText(ctx: ReadScope, text: string): SQL | null {
  const last = newestRow(ctx)
  const trigrams = trigramsOf(text)
  if (last === null || trigrams.length === 0) return null
  const first = Math.floor(last / ROWS_PER_ORGANIZATION) * ROWS_PER_ORGANIZATION
  const rows = sql`select rowid from audit_search where audit_search match ${trigrams.map(quoted).join(' AND ')} and rowid between ${first} and ${last}`
  return isFew(ctx, rows) ? rows : null
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

function trigramsOf(text: string): string[] {
  const characters = [...text]
  const all = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(''))
  // FTS5 ends a query at a NUL character.
  return [...new Set(all)].filter((trigram) => !trigram.includes('\0')).slice(0, MAX_TRIGRAMS)
}
