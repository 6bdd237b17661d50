import { and, eq, isNotNull, lte, or } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import type { Deps } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { organizationImports } from './table'
import { endImportIn } from './undo'

/** How long a dry run can be committed. */
export const COMMITTABLE_MS = DAY_MS

/** Imports looked at in one run. */
const AT_ONCE = 100

/**
 * Cancels dry runs that nobody committed, in the caller's transaction. Returns the imports that have
 * ended and may still have something to clean up.
 */
export function expireDryRuns(tx: Tx, deps: Deps): string[] {
  const old = tx
    .select({ id: organizationImports.id })
    .from(organizationImports)
    .where(
      or(
        and(
          eq(organizationImports.state, 'checked'),
          lte(organizationImports.createdAtMs, deps.clock.nowMs() - COMMITTABLE_MS),
        ),
        and(
          isNotNull(organizationImports.finishedAtMs),
          isNotNull(organizationImports.archiveFile),
        ),
      ),
    )
    .limit(AT_ONCE)
    .all()
  for (const { id } of old) endImportIn(tx, deps, id, { state: 'cancelled', error: null })
  return old.map(({ id }) => id)
}
