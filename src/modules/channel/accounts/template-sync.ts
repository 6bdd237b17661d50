import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { accounts } from './table'
import type { AccountRow, StoredTemplateSync } from './view'

const NEVER: StoredTemplateSync = {
  runs: 0,
  at_ms: null,
  synced: null,
  new: null,
  updated: null,
  removed: null,
  unchanged: null,
  error: null,
}

/** Returns the stored result of a number's template syncs. */
export const templateSyncOf = ({
  templateSync,
}: Pick<AccountRow, 'templateSync'>): StoredTemplateSync =>
  templateSync === null
    ? NEVER
    : { ...NEVER, ...(JSON.parse(templateSync) as Partial<StoredTemplateSync>) }

const storeIn = (tx: Tx, ctx: Ctx, accountId: string, kept: StoredTemplateSync): void => {
  tx.update(accounts)
    .set({ templateSync: JSON.stringify(kept) })
    .where(inOrganization(ctx, accounts, eq(accounts.id, accountId)))
    .run()
}

/** Records the start of a template sync. Runs inside the caller's transaction. */
export const recordTemplateSyncStartIn = (tx: Tx, ctx: Ctx, row: AccountRow): void => {
  const known = templateSyncOf(row)
  storeIn(tx, ctx, row.id, { ...known, runs: known.runs + 1 })
}

/** Records the result of a template sync. Runs inside the caller's transaction. */
export function recordTemplateSyncIn(
  tx: Tx,
  ctx: Ctx,
  row: AccountRow,
  outcome: Partial<Omit<StoredTemplateSync, 'at_ms' | 'runs' | 'error'>> & { error: string | null },
): void {
  storeIn(tx, ctx, row.id, {
    ...NEVER,
    ...outcome,
    runs: templateSyncOf(row).runs,
    at_ms: ctx.clock.nowMs(),
  })
}
