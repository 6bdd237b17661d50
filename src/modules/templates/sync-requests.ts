import { transact, type Tx } from '../../infra/db'
import type { Ctx } from '../../infra/ctx'
import { enqueue } from '../../infra/jobs/enqueue'
import type { AccountRow } from '../accounts/view'
import { syncBusinessTemplates } from './jobs'

/** Requests within this span come to one sync. */
const SPAN_MS = 60_000

/** Has the templates of a number's business account fetched soon, in the caller's transaction; several requests within a minute are one. */
export function requestSyncIn(tx: Tx, ctx: Ctx, account: Pick<AccountRow, 'businessId'>): void {
  const span = Math.floor(ctx.clock.nowMs() / SPAN_MS)
  enqueue(tx, ctx, syncBusinessTemplates, {
    args: { businessId: account.businessId },
    uniqueKey: `template-sync:${ctx.organizationId}:${account.businessId}:${span}`,
  })
}

/** The same, in a transaction of its own. */
export const requestSync = (ctx: Ctx, account: Pick<AccountRow, 'businessId'>): void =>
  transact(ctx.db, (tx) => requestSyncIn(tx, ctx, account))
