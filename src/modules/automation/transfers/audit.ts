import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { AuditAction } from '../../organization/audit/model'
import { differences, HIDDEN, recordAudit } from '../../organization/audit/record'
import type { TransferRow } from './rules'

/** The fields that the audit log records. Notes may hold personal data, so only their change is. */
const recorded = (row: TransferRow): Record<string, unknown> => ({
  status: row.status,
  agent_id: row.agentId,
  team_id: row.teamId,
  priority: row.priority,
})

/**
 * Records in the audit log how the caller changed a transfer, in the transaction of the change.
 * `before` is `null` for a new one. Records nothing if nothing changed.
 */
export function recordTransferIn(
  tx: Tx,
  ctx: Ctx,
  action: AuditAction,
  { before, after }: { before: TransferRow | null; after: TransferRow },
): void {
  const changes = differences(before ? recorded(before) : {}, recorded(after))
  if (before && before.notes !== after.notes)
    changes.push({ field: 'notes', old_value: HIDDEN, new_value: HIDDEN })
  if (changes.length === 0) return
  recordAudit(tx, ctx, {
    action,
    resourceType: 'transfer',
    resourceId: after.id,
    resourceName: null,
    changes,
  })
}
