import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { recordAudit } from '../../../organization/audit/record'
import { EndDeliveries } from '../jobs'
import { notifyDisabledIn } from '../notices'
import type { EndpointRow } from '../row'
import { changeEndpointIn } from './change'

/** Columns of an endpoint that is disabled now. */
export const disabledColumns = (ctx: Ctx, reason: NonNullable<EndpointRow['disabledReason']>) => ({
  disabledAtMs: ctx.clock.nowMs(),
  disabledReason: reason,
  downSinceMs: null,
  nextProbeAtMs: null,
  missed: 0,
})

/** Ends the open deliveries of an endpoint that was disabled or deleted, in the background. */
export const endDeliveriesOf = (tx: Tx, ctx: Ctx, endpointId: string): void =>
  void enqueue(tx, ctx, EndDeliveries, { args: { endpointId } })

/**
 * Disables an endpoint that keeps failing, in the caller's transaction. Notifies the members who may
 * enable it again.
 */
export function disableFailingIn(
  tx: Tx,
  ctx: Ctx,
  endpoint: EndpointRow,
  reason: 'failing_5_days' | 'gone',
): void {
  changeEndpointIn(tx, ctx, endpoint.id, disabledColumns(ctx, reason))
  endDeliveriesOf(tx, ctx, endpoint.id)
  notifyDisabledIn(tx, ctx, endpoint, reason)
  recordAudit(tx, ctx, {
    action: 'updated',
    resourceType: 'webhook_endpoint',
    resourceId: endpoint.id,
    resourceName: endpoint.name,
    changes: [
      { field: 'is_active', old_value: true, new_value: false },
      { field: 'disabled_reason', old_value: null, new_value: reason },
    ],
  })
}
