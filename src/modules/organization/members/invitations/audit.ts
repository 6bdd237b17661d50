import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import type { AuditAction } from '../../audit/model'
import { recordAudit } from '../../audit/record'
import type { InvitationRow } from './queries'

/** Records an action on an invitation in the audit log. Runs inside the caller's transaction. */
export const recordInvitationIn = (
  tx: Tx,
  ctx: Ctx,
  action: AuditAction,
  row: InvitationRow,
): void =>
  recordAudit(tx, ctx, {
    action,
    resourceType: 'invitation',
    resourceId: row.id,
    resourceName: row.email,
    ...(action === 'invited'
      ? { changes: [{ field: 'role_id', old_value: null, new_value: row.roleId }] }
      : {}),
  })
