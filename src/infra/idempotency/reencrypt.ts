import { asc, sql } from 'drizzle-orm'

import type { EncryptedTable } from '../keys/encrypted-columns'
import { encryptionContextOf } from './store'
import { idempotencyKeys } from './table'

const BATCH = 100

const rowid = sql<number>`rowid`

/** Stored responses of idempotent requests. */
export const sealedAnswers: EncryptedTable = {
  name: 'idempotency_keys',
  reencryptIn(tx, { vault }, after) {
    const { organizationId, caller, keyHash, route, answerSealed } = idempotencyKeys
    const rows = tx
      .select({ rowid, organizationId, caller, keyHash, route, answerSealed })
      .from(idempotencyKeys)
      .where(sql`rowid > ${Number(after)}`)
      .orderBy(asc(rowid))
      .limit(BATCH)
      .all()
    for (const row of rows) {
      if (row.answerSealed === null) continue
      const resealed = vault.reseal(row.answerSealed, encryptionContextOf(row))
      if (resealed !== row.answerSealed)
        tx.update(idempotencyKeys)
          .set({ answerSealed: resealed })
          .where(sql`rowid = ${row.rowid}`)
          .run()
    }
    return rows.length < BATCH ? null : String(rows.at(-1)?.rowid)
  },
}
