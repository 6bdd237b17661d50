import type { Database } from 'bun:sqlite'

import { count, eq, gt, sql } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'

import { inOrganization, type Ctx } from './ctx'

/**
 * Texts of an organization in blocks; each change counts up `rev`, and the block with the empty
 * name has the newest one.
 */
export interface TextBlocks extends SQLiteTable {
  organizationId: SQLiteColumn
  block: SQLiteColumn
  lines: SQLiteColumn
  rev: SQLiteColumn
}

type Scope = Pick<Ctx, 'db' | 'organizationId'>

/** What is kept of the texts of one organization, as of a revision. */
interface Kept {
  rev: number
  blocks: Map<string, string>
  size: number
}

/** Characters that are kept at most, of all organizations together; those asked for last stay. */
const MAX_KEPT = 32 * 1024 * 1024

/** Results of searches that are kept: whoever turns the pages of one asks for the same again. */
const MAX_RESULTS = 8

/** Blocks that are read at once. */
const READ_AT_ONCE = 512

/**
 * The texts that were searched last, of one database: reading those of a hundred thousand rows
 * takes longer than searching them.
 */
class KeptTexts {
  private readonly byPlace = new Map<string, Kept>()
  private size = 0
  private readonly results = new Map<string, { rev: number; result: unknown }>()

  /** What a search came to, from memory when it was asked before and nothing has changed since. */
  resultOf<T>(scope: Scope, table: TextBlocks, search: string, find: () => T): T {
    if (scope.db.sqlite.inTransaction) return find()
    const place = `${getTableConfig(table).name} ${scope.organizationId} ${search}`
    const rev = revOf(scope, table)
    const known = this.results.get(place)
    this.results.delete(place)
    const result = known?.rev === rev ? (known.result as T) : find()
    this.results.set(place, { rev, result })
    const [oldest] = this.results.keys()
    if (this.results.size > MAX_RESULTS && oldest !== undefined) this.results.delete(oldest)
    return result
  }

  /** The blocks of an organization as they are now. */
  of(scope: Scope, table: TextBlocks): Iterable<string> {
    // What an open transaction has written may yet be undone.
    if (scope.db.sqlite.inTransaction) return read(scope, table, -1).map(({ lines }) => lines)
    const place = `${getTableConfig(table).name} ${scope.organizationId}`
    const known = this.byPlace.get(place)
    const rev = revOf(scope, table)
    if (known) this.forget(place, known)
    const kept = known?.rev === rev ? known : refreshed(scope, table, known, rev)
    this.keep(place, kept)
    return kept.blocks.values()
  }

  private forget(place: string, kept: Kept): void {
    this.byPlace.delete(place)
    this.size -= kept.size
  }

  private keep(place: string, kept: Kept): void {
    this.byPlace.set(place, kept)
    this.size += kept.size
    for (const [oldest, entry] of this.byPlace) {
      if (this.size <= MAX_KEPT) break
      this.forget(oldest, entry)
    }
  }
}

/** What was kept, with what has changed since; everything anew where something went. */
function refreshed(scope: Scope, table: TextBlocks, known: Kept | undefined, rev: number): Kept {
  const kept = known ?? { rev: -1, blocks: new Map<string, string>(), size: 0 }
  for (const { block, lines } of read(scope, table, kept.rev)) {
    kept.size += lines.length - (kept.blocks.get(block)?.length ?? 0)
    kept.blocks.set(block, lines)
  }
  kept.rev = rev
  return kept.blocks.size === blocksOf(scope, table)
    ? kept
    : refreshed(scope, table, undefined, rev)
}

const revOf = ({ db, organizationId }: Scope, table: TextBlocks): number =>
  db.orm
    .select({ rev: sql<number>`${table.rev}` })
    .from(table)
    .where(inOrganization({ organizationId }, table, eq(table.block, '')))
    .get()?.rev ?? 0

const blocksOf = ({ db, organizationId }: Scope, table: TextBlocks): number =>
  db.orm
    .select({ blocks: count() })
    .from(table)
    .where(inOrganization({ organizationId }, table, gt(table.block, '')))
    .get()?.blocks ?? 0

/** A block, what is in it, and where to go on behind it. */
type Read = [block: string, lines: string, place: string | number]

/** All blocks, or those that changed after a revision. */
function read(
  { db, organizationId }: Scope,
  table: TextBlocks,
  afterRev: number,
): { block: string; lines: string }[] {
  const found: { block: string; lines: string }[] = []
  const [order, from] = afterRev < 0 ? [table.block, ''] : [table.rev, afterRev]
  for (let after: string | number = from; ;) {
    const own = inOrganization(
      { organizationId },
      table,
      gt(order, after),
      sql`+${table.block} <> ''`,
    )
    const rows: Read[] = db.orm.values<Read>(
      sql`select ${table.block}, ${table.lines}, ${order} from ${table} where ${own} order by ${order} limit ${READ_AT_ONCE}`,
    )
    for (const [block, lines] of rows) found.push({ block, lines })
    const last = rows.at(-1)
    if (rows.length < READ_AT_ONCE || !last) return found
    after = last[2]
  }
}

const byDatabase = new WeakMap<Database, KeptTexts>()

function keptOf({ db: { sqlite } }: Scope): KeptTexts {
  const known = byDatabase.get(sqlite) ?? new KeptTexts()
  byDatabase.set(sqlite, known)
  return known
}

/**
 * The texts of an organization as they are now, block by block; from memory where nothing has
 * changed.
 */
export const textsOf = (scope: Scope, table: TextBlocks): Iterable<string> =>
  keptOf(scope).of(scope, table)

/**
 * What `find` comes to, or came to for the same search while nothing has changed in the texts of
 * the organization. `search` names all that the result hangs on besides them and rows that never
 * change.
 */
export const resultOf = <T>(scope: Scope, table: TextBlocks, search: string, find: () => T): T =>
  keptOf(scope).resultOf(scope, table, search, find)
