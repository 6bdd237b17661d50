import { isoTimeOrNull } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { AuditAction } from '../../organization/audit/model'
import { differences, recordAudit } from '../../organization/audit/record'
import type { ConversationRow } from './row'

const recorded = (row: ConversationRow): Record<string, unknown> => ({
  state: row.state,
  priority: row.priority,
  assigned_to: row.assignedTo,
  team_id: row.teamId,
  snoozed_until: isoTimeOrNull(row.snoozedUntilMs),
  thread_owner: row.threadOwner,
  owner_role: row.ownerRole,
})

/**
 * Records in the audit log how the caller changed a conversation, in the transaction of the change.
 * Records nothing if nothing changed.
 */
export function recordConversationIn(
  tx: Tx,
  ctx: Ctx,
  action: AuditAction,
  change: { before: ConversationRow; after: ConversationRow },
): void {
  const changes = differences(recorded(change.before), recorded(change.after))
  if (changes.length === 0) return
  recordAudit(tx, ctx, {
    action,
    resourceType: 'conversation',
    resourceId: change.after.id,
    resourceName: null,
    changes,
  })
}
