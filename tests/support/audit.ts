import type { Db } from '../../src/infra/db/connection'
import { indexEntry, nextRow } from '../../src/modules/organization/audit/search-index'
import { auditLogs } from '../../src/modules/organization/audit/table'

type Entry = Omit<typeof auditLogs.$inferInsert, 'row'>

/** Writes a past audit log entry with its search words. */
export function writeEntry(db: Db, entry: Entry & { words: string }): void {
  const row = nextRow({ db, organizationId: entry.organizationId })
  db.orm
    .insert(auditLogs)
    .values({ ...entry, row })
    .run()
  indexEntry(db, { row, words: entry.words })
}
