import { systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import { savepoint, type Tx } from '../../../../infra/db/transact'
import { isStorageError } from '../../../../infra/db/errors'
import type { LoggedEvent } from '../../../../infra/outbox/events'
import { isChosen } from '../../realtime/webhook-events'
import { bodyOf, eventId, renderCtx, type ProducedEvent } from '../events/produce'
import { producedBy } from '../events/producers'
import type { EndpointRow } from '../row'
import { MAX_WAITING, MISSED_KEPT_MS } from '../rules'
import { accountsOf, eventsOf } from '../view'
import { changeEndpointIn } from '../endpoints/change'
import { enqueueDeliveryIn, insertDeliveryIn, insertPayloadIn } from '../delivery/store'

/**
 * Stores the deliveries of one entry of the event log, in the caller's transaction. An entry that
 * cannot be rendered is logged and skipped.
 */
export function storeDeliveriesIn(
  tx: Tx,
  deps: Deps,
  event: LoggedEvent,
  endpoints: EndpointRow[],
): void {
  const wanting = endpoints.filter(({ sincePosition }) => sincePosition < event.position)
  if (wanting.length === 0) return
  const ctx = systemCtx(deps, event.organizationId)
  try {
    savepoint(tx, (inner) => {
      for (const produced of producedBy(ctx, event))
        storeProducedIn(inner, ctx, { event, produced, endpoints: wanting })
    })
  } catch (error) {
    if (isStorageError(error)) throw error
    deps.log.error(
      { error, organization_id: event.organizationId, event: event.type, seq: event.seq },
      'event not sent to webhooks',
    )
  }
}

interface Produced {
  event: LoggedEvent
  produced: ProducedEvent
  endpoints: EndpointRow[]
}

function storeProducedIn(tx: Tx, ctx: Ctx, { event, produced, endpoints }: Produced): void {
  const wanting = endpoints.filter((endpoint) => wants(ctx, endpoint, produced))
  for (const [isMasked, group] of Map.groupBy(wanting, (one) => !one.includePhoneNumbers)) {
    const data = produced.render(renderCtx(ctx, ctx.organizationId, isMasked))
    if (!data) continue
    const { type, contactId } = produced
    const id = eventId(ctx.eventLog.logId, { position: event.position, type })
    const payloadId = insertPayloadIn(tx, ctx, {
      body: bodyOf({ ...event, id, type }, data),
      isMasked,
      contactId: produced.isPersonal ? contactId : null,
    })
    for (const endpoint of group) {
      const isMissed = endpoint.disabledAtMs !== null
      const row = insertDeliveryIn(tx, ctx, {
        endpointId: endpoint.id,
        payloadId,
        event: type,
        seq: event.seq,
        contactId,
        state: isMissed ? 'missed' : 'pending',
      })
      if (isMissed) {
        endpoint.missed += 1
        changeEndpointIn(tx, ctx, endpoint.id, { missed: endpoint.missed })
      } else enqueueDeliveryIn(tx, ctx, endpoint, row)
    }
  }
}

function wants(ctx: Ctx, endpoint: EndpointRow, { type, accountId }: ProducedEvent): boolean {
  if (!isChosen(type, eventsOf(endpoint))) return false
  const accounts = accountsOf(endpoint)
  if (accountId !== null && accounts.length > 0 && !accounts.includes(accountId)) return false
  if (endpoint.disabledAtMs === null) return true
  return ctx.clock.nowMs() - endpoint.disabledAtMs < MISSED_KEPT_MS && endpoint.missed < MAX_WAITING
}
