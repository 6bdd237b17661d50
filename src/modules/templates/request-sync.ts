import { transact, type Tx } from '../../infra/db/transact'
import type { Ctx } from '../../infra/ctx'
import { enqueue } from '../../infra/jobs/enqueue'
import { liveAccounts } from '../accounts/queries'
import { templateSyncOf } from '../accounts/template-sync'
import type { AccountRow } from '../accounts/view'
import { SyncTemplates } from './jobs'

/**
 * Has the templates of a number's business account fetched soon, in the caller's transaction.
 * However often it is asked for, one sync follows; asked for while one is under way, another one
 * follows that.
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
    serialKey: `template-sync:${ctx.organizationId}:${businessId}`,
    uniqueKey: `template-sync:${ctx.organizationId}:${businessId}:${runs}`,
  })
}

/** The same, in a transaction of its own. */
export const requestSync = (ctx: Ctx, account: Pick<AccountRow, 'businessId'>): void =>
  transact(ctx.db, (tx) => requestSyncIn(tx, ctx, account))
