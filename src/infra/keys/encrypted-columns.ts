import { asc, eq, getTableName, gt } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { acrossOrganizations, inOrganization, systemCtx, type Deps } from '../ctx'
import type { Tx } from '../db/transact'

/** A table with encrypted values. */
export interface EncryptedTable {
  name: string
  /**
   * Encrypts the values of a batch of rows after a position with the current key, in the caller's
   * transaction. Both keys stay readable. Returns the next position, or `null` at the end. The
   * first position is the empty text.
   */
  reencryptIn(tx: Tx, deps: Deps, after: string): string | null
}

const BATCH = 50

/** A row of an organization, as the place of its encrypted values names it. */
export interface EncryptedRow {
  organizationId: string
  id: string
}

/**
 * Returns a table of organizations whose `columns` hold encrypted values or `null`. `placeOf` names
 * the place that the value of a column is bound to.
 */
export function encryptedColumns<
  Column extends string,
  Table extends SQLiteTable & Record<keyof EncryptedRow | Column, SQLiteColumn>,
>(
  table: Table,
  columns: readonly Column[],
  placeOf: (row: EncryptedRow, column: Column) => string,
): EncryptedTable {
  const fields = { organizationId: table.organizationId, id: table.id }
  const sealedFields = Object.fromEntries(columns.map((column) => [column, table[column]]))
  return {
    name: getTableName(table),
    reencryptIn(tx, deps, after) {
      const rows = tx
        .select({ ...fields, ...sealedFields })
        .from(table as SQLiteTable)
        .where(
          acrossOrganizations(
            'a key rotation encrypts the secrets of all organizations',
            gt(table.id, after),
          ),
        )
        .orderBy(asc(table.id))
        .limit(BATCH)
        .all() as (EncryptedRow & Record<Column, string | null>)[]
      for (const row of rows) {
        const changes = columns.flatMap((column) => {
          const sealed = row[column]
          const anew = sealed === null ? null : deps.vault.reseal(sealed, placeOf(row, column))
          return anew === sealed ? [] : [[column, anew] as const]
        })
        if (changes.length > 0)
          tx.update(table as SQLiteTable)
            .set(Object.fromEntries(changes))
            .where(inOrganization(systemCtx(deps, row.organizationId), table, eq(table.id, row.id)))
            .run()
      }
      return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
    },
  }
}
