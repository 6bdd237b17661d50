import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { accounts } from './table'

/** How the last sync of a number's templates went, as it is kept. */
export interface KeptTemplateSync {
  at_ms: number
  synced: number | null
  new: number | null
  updated: number | null
  removed: number | null
  unchanged: number | null
  error: string | null
}

const UNKNOWN = { synced: null, new: null, updated: null, removed: null, unchanged: null }

/** Keeps on a number how the sync of its templates went, in the caller's transaction. */
export function noteTemplateSyncIn(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  outcome: Partial<Omit<KeptTemplateSync, 'at_ms' | 'error'>> & { error: string | null },
): void {
  const kept: KeptTemplateSync = { ...UNKNOWN, ...outcome, at_ms: ctx.clock.nowMs() }
  tx.update(accounts)
    .set({ templateSync: JSON.stringify(kept) })
    .where(inOrganization(ctx, accounts, eq(accounts.id, accountId)))
    .run()
}
