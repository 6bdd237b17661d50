import { DAY_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { findAccount } from '../accounts/queries'
import {
  ADOPTED_AT_ONCE,
  adoptOfBusinessIn,
  adoptUnroutedIn,
  type Adopted,
} from './assign-unrouted'
import { offerBackfillIn } from './backfill'
import { enqueueReplayIn } from './enqueue-replay'

/** Which changes to adopt for an account. */
interface Adoption {
  accountId: string
  /** When its number stopped working at another server or here, if it moved. */
  stoppedAtMs?: number | undefined
  /** The last change of its business account that was adopted. */
  after?: Adopted | undefined
}

/**
 * Replays a batch of the changes received for an account in the day before it was connected, or
 * since it stopped working, in the caller's transaction. Returns what is left to adopt; `null` if
 * nothing is.
 */
export function adoptForAccountIn(tx: Tx, ctx: Ctx, adoption: Adoption): Adoption | null {
  const account = findAccount(ctx, adoption.accountId)
  if (!account || account.deletedAtMs !== null) return null
  const sinceMs = adoption.stoppedAtMs ?? ctx.clock.nowMs() - DAY_MS
  const adopted = adoptUnroutedIn(tx, ctx, account.phoneId, sinceMs)
  for (const event of adopted)
    enqueueReplayIn(tx, ctx, { ...event, organizationId: ctx.organizationId })
  if (adopted.length > 0) return adoption
  if (account.businessLink === 'proven') {
    const at = { sinceMs, after: adoption.after ?? null }
    const ofBusiness = adoptOfBusinessIn(tx, account.businessId, at)
    for (const event of ofBusiness) enqueueReplayIn(tx, ctx, event)
    const last = ofBusiness.at(-1)
    if (last && ofBusiness.length === ADOPTED_AT_ONCE)
      return { ...adoption, after: { receivedAtMs: last.receivedAtMs, id: last.id } }
  }
  offerBackfillIn(tx, ctx, account)
  return null
}
