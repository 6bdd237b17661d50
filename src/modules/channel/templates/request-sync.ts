import { transact, type Tx } from '../../../infra/db/transact'
import type { Ctx } from '../../../infra/ctx'
import { enqueue } from '../../../infra/jobs/enqueue'
import { liveAccounts } from '../accounts/queries'
import { templateSyncOf } from '../accounts/template-sync'
import type { AccountRow } from '../accounts/view'
import { SyncTemplates } from './jobs'

/**
 * Schedules a sync of the business account of a phone number, in the caller's transaction. Several
 * requests before a sync starts share one; a request during a sync schedules another.
 */
export function requestSyncIn(tx: Tx, ctx: Ctx, account: Pick<AccountRow, 'businessId'>): void {
  const { businessId } = account
  const runs = Math.max(
    0,
    ...liveAccounts(ctx).flatMap((row) =>
      row.businessId === businessId ? [templateSyncOf(row).runs] : [],
    ),
  )
  enqueue(tx, ctx, SyncTemplates, {
    args: { businessId },
    orderingKey: `template-sync:${ctx.organizationId}:${businessId}`,
    uniqueKey: `template-sync:${ctx.organizationId}:${businessId}:${runs}`,
  })
}

/** Schedules a sync in its own transaction. */
export const requestSync = (ctx: Ctx, account: Pick<AccountRow, 'businessId'>): void =>
  transact(ctx.db, (tx) => requestSyncIn(tx, ctx, account))
