import { and, isNotNull, lte } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueueFileDeletionIn } from '../../channel/media/delete-files'
import { changeArchiveIn } from './state'
import { organizationArchives } from './table'

/** Number of files deleted in one round. */
const BATCH = 100

const EXPIRED = { status: 'expired', storedAs: null } as const

/** Deletes archives after seven days. They stay listed. */
export async function expireArchives(deps: Deps): Promise<void> {
  for (;;) {
    const old = deps.db.orm
      .select()
      .from(organizationArchives)
      .where(
        inWorkingOrganizations(
          'expired files are found for all organizations at once',
          organizationArchives,
          and(
            lte(organizationArchives.expiresAtMs, deps.clock.nowMs()),
            isNotNull(organizationArchives.storedAs),
          ),
        ),
      )
      .limit(BATCH)
      .all()
    for (const { organizationId, id, storedAs } of old) {
      transact(
        deps.db,
        (tx) => void changeArchiveIn(tx, systemCtx(deps, organizationId), id, EXPIRED),
      )
      if (storedAs !== null) await deps.files.remove(storedAs)
    }
    if (old.length < BATCH) return
  }
}

/**
 * Deletes archives of the organization, which contain an erased person. Runs inside a transaction
 * of the erasure. They stay listed. Returns the number of deleted files.
 */
export function dropArchivesIn(tx: Tx, ctx: Ctx): number {
  const kept = tx
    .select({ id: organizationArchives.id, storedAs: organizationArchives.storedAs })
    .from(organizationArchives)
    .where(inOrganization(ctx, organizationArchives, isNotNull(organizationArchives.storedAs)))
    .limit(BATCH)
    .all()
  for (const { id } of kept) changeArchiveIn(tx, ctx, id, EXPIRED)
  enqueueFileDeletionIn(
    tx,
    ctx,
    kept.map(({ storedAs }) => storedAs).filter((name) => name !== null),
  )
  return kept.length
}
