import { and, isNotNull, lte, ne } from 'drizzle-orm'

import {
  acrossOrganizations,
  inOrganization,
  systemCtx,
  type Ctx,
  type Deps,
} from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { enqueueFileDeletionIn } from '../media/delete-files'
import { changeExportIn } from './state'
import { exports_ } from './table'

/** Files deleted in one round. */
const BATCH = 100

/**
 * Deletes the files of exports that were kept for seven days; that there was an export stays known.
 */
export async function expireExports(deps: Deps): Promise<void> {
  for (;;) {
    const old = deps.db.orm
      .select()
      .from(exports_)
      .where(
        acrossOrganizations(
          'expired files are found for all organizations at once',
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
 * Takes away the files that may hold a person who is erased, in the transaction of a part of the
 * erasure: those of contacts and of messages. That there was an export stays known. Returns how
 * many went.
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
