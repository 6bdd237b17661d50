import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { billingMonthOf } from '../allowance'
import { notifyAboutAccountIn } from '../notify'
import { findAccount } from '../queries'
import { accounts } from '../table'
import type { AccountRow } from '../view'
import { evidenceOf, type FundingAnswers } from './evidence'
import { missingNotice, silentNotice } from './notices'
import { publishFundingIn, recordFundingIn } from './state'

/**
 * Records what an inspection says about the payment method. `before` is the number before the
 * inspection was stored. Runs inside the caller's transaction.
 */
export function recordInspectedFundingIn(
  tx: Tx,
  ctx: Ctx,
  before: AccountRow,
  found: FundingAnswers,
): void {
  const evidence = evidenceOf(found, before, ctx.clock.nowMs())
  if (!evidence) return
  const changed = recordFundingIn(tx, ctx, before.id, evidence)
  if (evidence.state === 'missing') notifyMissingIn(tx, ctx, before.id, changed.length)
}

/**
 * Records that a charged message was delivered: somebody pays. Runs inside the caller's
 * transaction.
 */
export const recordBilledIn = (tx: Tx, ctx: Ctx, accountId: string, atMs: number): void =>
  void recordFundingIn(tx, ctx, accountId, { state: 'attached', source: 'billed', atMs })

/**
 * Records that a person added a payment method, inside the caller's transaction. The platform has
 * not confirmed it, so it is unknown, and the next charged message decides.
 */
export const recordFundingConfirmedIn = (tx: Tx, ctx: Ctx, accountId: string): void =>
  void recordFundingIn(tx, ctx, accountId, {
    state: 'unknown',
    source: 'person',
    atMs: ctx.clock.nowMs(),
  })

/**
 * Records that the platform refused a message because nobody pays for it (131042): the payment
 * method of the business account is missing. If it was a service message, no further ones leave the
 * number this month. Notifies once of each. Evidence older than what is known changes nothing. Runs
 * inside the caller's transaction.
 */
export function recordUnpaidIn(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  { atMs, isService }: { atMs: number; isService: boolean },
): void {
  const changed = recordFundingIn(tx, ctx, accountId, { state: 'missing', source: 'refused', atMs })
  const account = findAccount(ctx, accountId)
  if (account?.fundingState !== 'missing') return
  const month = billingMonthOf(ctx, accountId, atMs)
  if (!isService || month <= (account.serviceRefusedMonth ?? 0))
    return notifyMissingIn(tx, ctx, accountId, changed.length)
  tx.update(accounts)
    .set({ serviceRefusedMonth: month, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, accounts, eq(accounts.id, accountId)))
    .run()
  publishFundingIn(tx, ctx, accountId)
  notifyAboutAccountIn(tx, ctx, account, silentNotice(account))
}

/** Notifies about a payment method that has just turned out to be missing, for so many numbers. */
function notifyMissingIn(tx: Tx, ctx: Ctx, accountId: string, numbers: number): void {
  const account = numbers > 0 ? findAccount(ctx, accountId) : null
  if (account) notifyAboutAccountIn(tx, ctx, account, missingNotice(account, numbers))
}
