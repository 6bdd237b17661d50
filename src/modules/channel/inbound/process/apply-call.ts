import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import type { CallReport } from '../../../../platform/webhook/calls'
import type { AccountRow } from '../../accounts/view'
import { findCallByPlatformId } from '../../calls/find'
import { recordCallIn } from '../../calls/record'
import { linkedContactOfSenderIn } from '../../../inbox/messages/contact-changes/link'

/**
 * Applies a report about a call, in the caller's transaction. The first report of a call finds or
 * creates its contact; the customer's names in it only fill gaps. Returns `false` if the report
 * changes nothing.
 */
export function applyCallIn(
  tx: Tx,
  ctx: Ctx,
  reported: { account: AccountRow; report: CallReport; receivedAtMs: number; isLate: boolean },
): boolean {
  const { account, report } = reported
  if (report.report === 'other') return false
  const known = findCallByPlatformId(ctx, { accountId: account.id, waCallId: report.waCallId })
  const contactId = known?.contactId ?? contactOf(tx, ctx, account, report)
  return recordCallIn(tx, ctx, { ...reported, known, contactId })
}

function contactOf(tx: Tx, ctx: Ctx, account: AccountRow, report: CallReport): string {
  const { from: phone, userId, parentUserId, profileName, username } = report
  return linkedContactOfSenderIn(
    tx,
    ctx,
    { phone, userId, parentUserId, profileName, username },
    {
      accountId: account.id,
      source: report.direction === 'incoming' ? 'inbound' : 'phone_app',
      atMs: -1,
    },
  ).id
}
