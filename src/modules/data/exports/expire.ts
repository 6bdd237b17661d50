import { and, isNotNull, lte, ne } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueueFileDeletionIn } from '../../channel/media/delete-files'
import { changeExportIn } from './state'
import { exports_ } from './table'

/** Number of files deleted in one round. */
const BATCH = 100

/** Deletes export files after seven days. The exports stay listed. */
export async function expireExports(deps: Deps): Promise<void> {
  for (;;) {
    const old = deps.db.orm
      .select()
      .from(exports_)
      .where(
        inWorkingOrganizations(
          'expired files are found for all organizations at once',
          exports_,
          and(lte(exports_.expiresAtMs, deps.clock.nowMs()), isNotNull(exports_.storedAs)),
        ),
      )
      .limit(BATCH)
      .all()
    for (const { organizationId, id, storedAs } of old) {
      transact(
        deps.db,
        (tx) =>
          void changeExportIn(tx, systemCtx(deps, organizationId), id, {
            status: 'expired',
            storedAs: null,
          }),
      )
      if (storedAs !== null) await deps.files.remove(storedAs)
    }
    if (old.length < BATCH) return
  }
}

/**
 * Deletes contact and message files that may contain an erased person. Runs inside a transaction of
 * the erasure. The exports stay listed. Returns the number of deleted files.
 */
export function dropFilesOfPeopleIn(tx: Tx, ctx: Ctx): number {
  const kept = tx
    .select({ id: exports_.id, storedAs: exports_.storedAs })
    .from(exports_)
    .where(
      inOrganization(ctx, exports_, and(isNotNull(exports_.storedAs), ne(exports_.source, 'tags'))),
    )
    .limit(BATCH)
    .all()
  for (const { id } of kept) changeExportIn(tx, ctx, id, { status: 'expired', storedAs: null })
  enqueueFileDeletionIn(
    tx,
    ctx,
    kept.map(({ storedAs }) => storedAs).filter((name) => name !== null),
  )
  return kept.length
}
