import { and, isNotNull, lte } from 'drizzle-orm'

import { systemCtx, type Deps } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { transact } from '../../../infra/db/transact'
import { changeRequestIn } from './requests'
import { privacyRequests } from './table'

const BATCH = 100

/**
 * Deletes the files of expired privacy exports. Their requests remain with the status `expired`.
 */
export async function expireExports(deps: Deps): Promise<void> {
  for (;;) {
    const old = deps.db.orm
      .select()
      .from(privacyRequests)
      .where(
        inWorkingOrganizations(
          'expired files are found for all organizations at once',
          privacyRequests,
          and(
            lte(privacyRequests.expiresAtMs, deps.clock.nowMs()),
            isNotNull(privacyRequests.storedAs),
          ),
        ),
      )
      .limit(BATCH)
      .all()
    for (const { organizationId, id, storedAs } of old) {
      transact(deps.db, (tx) =>
        changeRequestIn(tx, systemCtx(deps, organizationId), id, {
          state: 'expired',
          storedAs: null,
        }),
      )
      if (storedAs !== null) await deps.files.remove(storedAs)
    }
    if (old.length < BATCH) return
  }
}
