import type { Tx } from '../../../../infra/db/transact'
import { uuidToBytes } from '../../../../infra/db/uuid'

/** Rows deleted in one transaction. */
const AT_ONCE = 500

const TABLES = ['organization_import_numbers', 'organization_import_links']

/**
 * Deletes some of the rows that an import needs only while it runs, in the caller's transaction.
 * Returns whether there may be more.
 */
export const dropScratchIn = (tx: Tx, importId: string): boolean =>
  TABLES.some(
    (table) =>
      tx.scope.sqlite
        .query(
          `delete from ${table} where rowid in (select rowid from ${table} where import_id = ?1 limit ${AT_ONCE})`,
        )
        .run(uuidToBytes(importId)).changes === AT_ONCE,
  )
