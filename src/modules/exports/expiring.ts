import { and, isNotNull, lte } from 'drizzle-orm'

import { systemCtx, type Deps } from '../../infra/ctx'
import { transact } from '../../infra/db'
import { changeExportIn } from './rows'
import { exports_ } from './table'

/** Files deleted in one round. */
const BATCH = 100

/** Deletes the files of exports that were kept for seven days; that there was an export stays known. */
export async function expireExports(deps: Deps): Promise<void> {
  for (;;) {
    const old = deps.db.orm
      .select()
      .from(exports_)
      .where(and(lte(exports_.expiresAtMs, deps.clock.nowMs()), isNotNull(exports_.storedAs)))
      .limit(BATCH)
      .all()
    for (const { organizationId, id, storedAs } of old) {
      transact(deps.db, (tx) => void changeExportIn(tx, systemCtx(deps, organizationId), id, { status: 'expired', storedAs: null }))
      if (storedAs !== null) await deps.files.remove(storedAs)
    }
    if (old.length < BATCH) return
  }
}
