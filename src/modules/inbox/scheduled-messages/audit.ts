import { isoTime } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { AuditAction } from '../../organization/audit/model'
import { differences, recordAudit } from '../../organization/audit/record'
import type { ScheduledRow } from './row'

/** What the audit log shows of a scheduled message: of its content only whether it changed. */
const recorded = (row: ScheduledRow): Record<string, unknown> => ({
  state: row.state,
  send_at: isoTime(row.sendAtMs),
  cancel_on_reply: row.cancelsOnReply,
  contact_id: row.contactId,
  account_id: row.accountId,
})

/** Records what the caller did to a scheduled message, in the transaction of the change. */
export function recordScheduledIn(
  tx: Tx,
  ctx: Ctx,
  action: AuditAction,
  { before, after }: { before: ScheduledRow | null; after: ScheduledRow },
): void {
  const isRewritten =
    before !== null &&
    (before.message !== after.message || before.fallbackTemplate !== after.fallbackTemplate)
  recordAudit(tx, ctx, {
    action,
    resourceType: 'scheduled_message',
    resourceId: after.id,
    resourceName: null,
    changes: [
      ...differences(before === null ? {} : recorded(before), recorded(after)),
      ...(isRewritten ? [{ field: 'message', old_value: '…', new_value: '…' }] : []),
    ],
  })
}
