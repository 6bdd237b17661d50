import { eq } from 'drizzle-orm'

import { nextMonthMs } from '../../../../lib/local-day'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import {
  billingMonthOf,
  billingTimezoneOf,
  freeServiceMessages,
  serviceCountsOf,
} from '../allowance'
import { notifyAboutAccountIn } from '../notify'
import { findAccount } from '../queries'
import { accounts } from '../table'
import { allowanceNotice } from './notices'

/** Percentages of the free service messages of a month at which people are notified, once each. */
const WARN_AT: readonly number[] = [80, 100]

/** The last notice about the free service messages of a number. */
interface AllowanceWarning {
  /** Billing month, such as 202610. */
  month: number
  percent: number
}

/**
 * Notifies about the free service messages of a number when 80 and 100 % of this month's are used,
 * once each. Call it after one of a month was delivered, inside the caller's transaction.
 */
export function warnAboutAllowanceIn(tx: Tx, ctx: Ctx, accountId: string, month: number): void {
  const free = freeServiceMessages(ctx, month)
  const used = serviceCountsOf(ctx, { accountId, month }).delivered
  const percent = WARN_AT.findLast((each) => used * 100 >= each * free)
  const nowMs = ctx.clock.nowMs()
  if (percent === undefined || free === 0 || month !== billingMonthOf(ctx, accountId, nowMs)) return
  const account = findAccount(ctx, accountId)
  if (!account || account.deletedAtMs !== null) return
  const last = JSON.parse(account.allowanceWarned ?? 'null') as AllowanceWarning | null
  if (last !== null && (last.month > month || (last.month === month && last.percent >= percent)))
    return
  tx.update(accounts)
    .set({ allowanceWarned: JSON.stringify({ month, percent } satisfies AllowanceWarning) })
    .where(inOrganization(ctx, accounts, eq(accounts.id, accountId)))
    .run()
  const resetsAtMs = nextMonthMs(nowMs, billingTimezoneOf(ctx, accountId))
  notifyAboutAccountIn(tx, ctx, account, allowanceNotice(account, { free, used, resetsAtMs }))
}
