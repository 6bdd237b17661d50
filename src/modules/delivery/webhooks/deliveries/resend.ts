import { ConflictError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { recordAudit } from '../../../organization/audit/record'
import { enqueueDeliveryIn, hasPayload, insertDeliveryIn } from '../delivery/store'
import type { DeliveryView } from '../model'
import { getEndpointRow } from '../queries'
import type { EndpointRow } from '../row'
import { deliveryView } from '../view'
import { getDeliveryRow } from './queries'

/** Requires that an endpoint is not disabled. Throws ConflictError `endpoint_disabled`. */
export function requireEnabled(endpoint: EndpointRow): void {
  if (endpoint.disabledAtMs !== null)
    throw new ConflictError('The endpoint is disabled. Enable it first.', {
      code: 'endpoint_disabled',
    })
}

/**
 * Sends a delivery again, with the same `webhook-id`. Throws NotFoundError, and ConflictError
 * `endpoint_disabled` and `payload_pruned`.
 */
export function resendDelivery(ctx: Ctx, id: string): DeliveryView {
  return transact(ctx.db, (tx) => {
    const row = getDeliveryRow(ctx, id)
    const endpoint = getEndpointRow(ctx, row.endpointId)
    requireEnabled(endpoint)
    if (!hasPayload(ctx, row.payloadId))
      throw new ConflictError(
        'The payload was deleted: payloads are kept for seven days, and none of erased contacts.',
        { code: 'payload_pruned' },
      )
    const again = insertDeliveryIn(tx, ctx, {
      endpointId: endpoint.id,
      payloadId: row.payloadId,
      event: row.event,
      seq: row.seq,
      contactId: row.contactId,
      originalId: row.originalId ?? row.id,
      state: 'pending',
      isManual: true,
    })
    enqueueDeliveryIn(tx, ctx, endpoint, again)
    recordAudit(tx, ctx, {
      action: 'resent',
      resourceType: 'webhook_delivery',
      resourceId: row.id,
      resourceName: endpoint.name,
    })
    return deliveryView(again, { endpoint, isSending: false })
  })
}
