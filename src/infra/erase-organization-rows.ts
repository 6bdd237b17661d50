import type { Database, SQLQueryBindings } from 'bun:sqlite'

import type { Tx } from './db/transact'
import type { OrganizationTable } from './organization-tables'

/**
 * Deletes up to `limit` rows of an organization from a table, in the caller's transaction. Rows
 * that refer to them must be deleted before, except those of the same table. Returns the number.
 */
export function deleteRowsIn(
  tx: Tx,
  table: OrganizationTable,
  { organization, limit }: { organization: Uint8Array; limit: number },
): number {
  const { sqlite } = tx.scope
  const { name, owner, hasRowid, selfReferences } = table
  if (!hasRowid) return deleteFirstIn(sqlite, table, { organization, limit })
  const chosen = chosenOf(table)
  for (const { from, to } of selfReferences)
    sqlite
      .query(
        `update "${name}" set "${from}" = null where "${owner}" = ?1 and "${from}" is not null and "${from}" in
           (select "${to}" from "${name}" where ${chosen})`,
      )
      .run(organization, limit)
  return sqlite.query(`delete from "${name}" where ${chosen}`).run(organization, limit).changes
}

/** Condition for the next rows to delete: parameters are the organization and their number. */
function chosenOf({ name, owner, key, fate }: OrganizationTable): string {
  // Files are deleted before their rows, in this order.
  const order = fate.hasFiles ? `order by "${key.at(-1)}"` : ''
  return `rowid in (select rowid from "${name}" where "${owner}" = ?1 ${order} limit ?2)`
}

/**
 * Deletes the first rows of an organization by the key of a table without row numbers. With a list of
 * keys, SQLite would look through all rows for each of them.
 */
function deleteFirstIn(
  sqlite: Database,
  { name, owner, key }: OrganizationTable,
  { organization, limit }: { organization: Uint8Array; limit: number },
): number {
  const rest = key.filter((column) => column !== owner)
  const columns = rest.map((column) => `"${column}"`).join(', ')
  const [last] = sqlite
    .query<unknown, SQLQueryBindings[]>(
      `select ${columns} from "${name}" where "${owner}" = ?1 order by ${columns} limit 1 offset ?2`,
    )
    .values(organization, limit - 1) as SQLQueryBindings[][]
  const places = rest.map((_, index) => `?${index + 2}`).join(', ')
  const through = last ? `and (${columns}) <= (${places})` : ''
  return sqlite
    .query<unknown, SQLQueryBindings[]>(`delete from "${name}" where "${owner}" = ?1 ${through}`)
    .run(organization, ...(last ?? [])).changes
}

/** Whether an organization has rows in a table. */
export const hasRows = (
  sqlite: Database,
  { name, owner }: OrganizationTable,
  organization: Uint8Array,
): boolean =>
  sqlite.query(`select 1 from "${name}" where "${owner}" = ? limit 1`).get(organization) !== null

/** Returns the full-text indexes that overwrite each word as it is deleted. */
export const tidyIndexes = (sqlite: Database, indexes: readonly string[]): string[] =>
  indexes.filter(
    (index) =>
      sqlite.query(`select 1 from "${index}_config" where k = 'secure-delete' and v = 1`).get() !==
      null,
  )

/** Returns the table whose rows, by their number `row`, are in a full-text index. */
export function contentOf(sqlite: Database, index: string): string {
  const { sql = '' } =
    sqlite
      .query<{ sql: string }, [string]>('select sql from sqlite_schema where name = ?')
      .get(index) ?? {}
  const content = /content='(\w+)'/.exec(sql)?.[1]
  if (content === undefined) throw new Error(`the index ${index} has no table`)
  return content
}

/**
 * Runs work that deletes many rows and leaves their words in the pages of full-text indexes, in the
 * caller's transaction: to overwrite each word where it stands takes ten times as long as
 * everything else. `mergeIndexIn` must remove them afterwards.
 */
export function leavingWordsIn<T>(tx: Tx, indexes: readonly string[], work: () => T): T {
  // An index writes its changes when it gets a setting.
  const overwrite = (isOn: number): void => {
    for (const index of indexes)
      tx.scope.sqlite
        .query(`insert into "${index}" ("${index}", rank) values ('secure-delete', ?)`)
        .run(isOn)
  }
  overwrite(0)
  const result = work()
  overwrite(1)
  // Otherwise an index merges the pages of many transactions at once.
  for (const index of indexes) mergeIndexIn(tx, index, { pages: PAGES_PER_STEP, isFirst: false })
  return result
}

/** Most index pages that one step writes. */
const PAGES_PER_STEP = 16

/**
 * Merges a part of a full-text index, so that words of deleted rows are in none of its pages. The
 * first step of a run has to say so. Runs inside the caller's transaction. Returns whether there is
 * more to do. A step reads until it has written its pages: if few rows of others are in the index, it
 * reads many for each.
 */
export function mergeIndexIn(
  tx: Tx,
  index: string,
  { pages, isFirst }: { pages: number; isFirst: boolean },
): boolean {
  const { sqlite } = tx.scope
  const changes = (): number =>
    sqlite.query<{ n: number }, []>('select total_changes() as n').get()?.n ?? 0
  const before = changes()
  sqlite
    .query(`insert into "${index}" ("${index}", rank) values ('merge', ?)`)
    .run(isFirst ? -pages : pages)
  return changes() - before >= 2
}
