import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import type { HistoryReport } from '../../../../platform/webhook/coexistence'
import { findAccount } from '../queries'
import type { AccountRow } from '../view'
import { notifyLostIn } from './request'
import { changePhoneAppIn } from './wait'

/**
 * Records how far the history of the phone app has arrived, or that the person did not share it,
 * inside the caller's transaction. Chunks may arrive in any order, so the progress only grows.
 */
export function recordHistoryIn(
  tx: Tx,
  ctx: Ctx,
  account: Pick<AccountRow, 'id'>,
  report: HistoryReport,
): void {
  const row = findAccount(ctx, account.id)
  if (!row || row.phoneAppHistory === null || row.phoneAppHistory === 'done') return
  if (report.isDeclined) {
    if (row.phoneAppHistory === 'declined') return
    changePhoneAppIn(tx, ctx, row.id, {
      phoneAppHistory: 'declined',
      ...(row.phoneAppContacts === 'waiting' ? {} : { phoneAppUntilMs: null }),
    })
    notifyLostIn(tx, ctx, row, { of: ['history'], state: 'declined' })
    return
  }
  const progress = Math.max(report.progress ?? 0, row.phoneAppProgress ?? 0)
  if (progress === row.phoneAppProgress) return
  changePhoneAppIn(tx, ctx, row.id, {
    phoneAppProgress: progress,
    phoneAppHistory: progress >= COMPLETE ? 'done' : 'requested',
    ...(row.phoneAppContacts === 'waiting' ? {} : { phoneAppUntilMs: null }),
  })
}

/** The progress that the platform reports with the last part, percent. */
const COMPLETE = 100
