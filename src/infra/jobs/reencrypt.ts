import { asc, eq, gt } from 'drizzle-orm'

import type { EncryptedTable } from '../keys/encrypted-columns'
import { jobs } from './table'

const BATCH = 200

/** Returns the context that an encrypted argument of a job is bound to. */
export const encryptionContextOf = (kind: string): string => `jobs/${kind}`

/** Encrypted arguments of jobs, including discarded ones, because a user may retry them. */
export const sealedJobs: EncryptedTable = {
  name: 'jobs',
  reencryptIn(tx, { vault }, after) {
    const { id, kind, args } = jobs
    const rows = tx
      .select({ id, kind, args })
      .from(jobs)
      .where(gt(id, after))
      .orderBy(asc(id))
      .limit(BATCH)
      .all()
    for (const row of rows) {
      if (!row.args.includes('"sealed"')) continue
      const given = JSON.parse(row.args) as { sealed?: unknown }
      if (typeof given.sealed !== 'string') continue
      const sealed = vault.reseal(given.sealed, encryptionContextOf(row.kind))
      if (sealed === given.sealed) continue
      tx.update(jobs)
        .set({ args: JSON.stringify({ ...given, sealed }) })
        .where(eq(id, row.id))
        .run()
    }
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  },
}
