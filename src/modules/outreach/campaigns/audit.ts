import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { AuditAction } from '../../organization/audit/model'
import { recordAudit, type FieldChange } from '../../organization/audit/record'
import type { PauseReason } from './rules'
import type { CampaignRow } from './view'

/** Records an action on a campaign in the audit log. Runs inside the caller's transaction. */
export function recordCampaignIn(
  tx: Tx,
  ctx: Ctx,
  row: Pick<CampaignRow, 'id' | 'name'>,
  action: AuditAction,
  changes?: FieldChange[],
): void {
  recordAudit(tx, ctx, {
    action,
    resourceType: 'campaign',
    resourceId: row.id,
    resourceName: row.name,
    ...(changes === undefined ? {} : { changes }),
  })
}

/** Records that a campaign paused by itself, and why. Runs inside the caller's transaction. */
export const recordPauseIn = (
  tx: Tx,
  ctx: Ctx,
  row: Pick<CampaignRow, 'id' | 'name'>,
  reason: PauseReason,
): void =>
  recordCampaignIn(tx, ctx, row, 'paused', [
    { field: 'pause_reason', old_value: null, new_value: reason },
  ])
