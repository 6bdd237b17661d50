import { DAY_MS } from '../../lib/clock'
import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { findAccount } from '../accounts/queries'
import { adoptOfBusinessIn, adoptUnroutedIn } from './assign-unrouted'
import { offerBackfillIn } from './backfill'
import { enqueueReplayIn } from './enqueue-replay'

/**
 * Replays a batch of the changes received for an account in the day before it was connected, in the
 * caller's transaction. Returns whether more may be left.
 */
export function adoptForAccountIn(tx: Tx, ctx: Ctx, accountId: string): boolean {
  const account = findAccount(ctx, accountId)
  if (!account || account.deletedAtMs !== null) return false
  const adopted = adoptUnroutedIn(tx, ctx, account.phoneId, ctx.clock.nowMs() - DAY_MS)
  for (const event of adopted)
    enqueueReplayIn(tx, ctx, { ...event, organizationId: ctx.organizationId })
  if (adopted.length > 0) return true
  if (account.businessLink === 'proven')
    for (const event of adoptOfBusinessIn(tx, account.businessId, ctx.clock.nowMs() - DAY_MS))
      enqueueReplayIn(tx, ctx, event)
  offerBackfillIn(tx, ctx, account)
  return false
}
