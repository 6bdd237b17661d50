import { nextMonthMs } from '../../../../lib/local-day'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { billingMonthOf, billingTimezoneOf, isAllowanceUsedUp } from '../allowance'
import type { AccountRow } from '../view'

/**
 * Reports whether service messages of a number would not be delivered, because nobody pays and the
 * free ones of the month are used up, or WhatsApp refused one. A payment method that is not known
 * holds nothing.
 */
export function holdsServiceMessages(ctx: ReadCtx, account: AccountRow): boolean {
  if (account.fundingState !== 'missing') return false
  const month = billingMonthOf(ctx, account.id, ctx.clock.nowMs())
  return account.serviceRefusedMonth === month || isAllowanceUsedUp(ctx, account.id, month)
}

/** Returns when a number has free service messages again, epoch milliseconds. */
export const nextAllowanceMs = (ctx: ReadCtx, accountId: string): number =>
  nextMonthMs(ctx.clock.nowMs(), billingTimezoneOf(ctx, accountId))
