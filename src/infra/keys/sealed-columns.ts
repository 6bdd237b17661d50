import type { Database } from 'bun:sqlite'

import type { Tx } from '../db/transact'
import { digestKeys, rootKeys } from './table'

/** A column of encrypted values. */
export interface SealedColumn {
  table: string
  column: string
  isRequired: boolean
}

/** Returns every column of encrypted values, which are those named `*_sealed`. */
export const sealedColumns = (sqlite: Database): SealedColumn[] =>
  sqlite
    .query<{ table: string; column: string; required: number }, []>(
      `select m.name as "table", c.name as "column", c."notnull" as required
       from sqlite_schema m join pragma_table_info(m.name) c
       where m.type = 'table' and c.name like '%\\_sealed' escape '\\' order by m.name, c.cid`,
    )
    .all()
    .map(({ required, ...place }) => ({ ...place, isRequired: required === 1 }))

/** Columns whose values cannot just be emptied, as `table.column`. */
export interface Exceptions {
  /** They have values of the new key already. */
  renewed: ReadonlySet<string>
  /** Their rows are of no use without a value, or with a digest of the former key. */
  withRows: ReadonlySet<string>
}

/**
 * Empties every column of encrypted values, in the caller's transaction. Also deletes jobs with an
 * encrypted argument, and forgets the keys.
 */
export function emptySealedIn(tx: Tx, { renewed, withRows }: Exceptions): void {
  const { sqlite } = tx.scope
  for (const { table, column, isRequired } of sealedColumns(sqlite)) {
    const name = `${table}.${column}`
    if (withRows.has(name)) sqlite.run(`delete from "${table}"`)
    else if (!renewed.has(name)) {
      if (isRequired) throw new Error(`${name} cannot be emptied`)
      sqlite.run(`update "${table}" set "${column}" = null where "${column}" is not null`)
    }
  }
  sqlite.run(`delete from jobs where json_extract(args, '$.sealed') is not null`)
  tx.delete(digestKeys).run()
  tx.delete(rootKeys).run()
}
