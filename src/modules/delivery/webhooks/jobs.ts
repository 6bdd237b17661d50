import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'
import { ContactDeleted } from '../../inbox/contacts/events'

const Delivery = Type.Object({ deliveryId: Type.String() })

/** Sends a delivery to its endpoint. It retries for three days, so its attempts do not end it. */
export const DeliverWebhook = job('webhook.deliver', Delivery, {
  queue: 'webhooks',
  maxAttempts: 1_000,
})

/**
 * Lets the next delivery of a contact pass one that has failed for a while, at an endpoint that
 * keeps the order of contacts.
 */
export const PassDelivery = job(
  'webhook.pass',
  Type.Object({ orderingKey: Type.String(), gateKey: Type.String() }),
  { queue: 'default' },
)

/** Ends the open deliveries of an endpoint that was disabled or deleted, a batch at a time. */
export const EndDeliveries = job('webhook.end', Type.Object({ endpointId: Type.String() }), {
  queue: 'default',
})

/** Lets the deliveries of an endpoint that went down wait for a probe, a batch at a time. */
export const ReleaseDeliveries = job(
  'webhook.release',
  Type.Object({ endpointId: Type.String() }),
  { queue: 'default' },
)

/** Makes deliveries of a time range again, a batch at a time. */
export const ReplayWebhooks = job('webhook.replay', Type.Object({ replayId: Type.String() }), {
  queue: 'default',
  priority: 'low',
})

/** Ends the open deliveries of a stopped replay, a batch at a time. */
export const EndReplay = job(
  'webhook.end-replay',
  Type.Object({ replayId: Type.String(), afterId: Type.Union([Type.String(), Type.Null()]) }),
  { queue: 'default' },
)

/** Ends deliveries that are too old or too many, disables failing endpoints and sends notices. */
export const SweepWebhooks = job('webhook.sweep', Type.Object({}), { queue: 'default' })

/** Deletes old payloads, deliveries and deleted endpoints. */
export const PruneWebhooks = job('webhook.prune', Type.Object({}), {
  queue: 'default',
  priority: 'low',
})

/** Erases what endpoints were sent about an erased contact, a batch at a time. */
export const EraseWebhookPayloads = job('webhook.erase-payloads', ContactDeleted.payload, {
  queue: 'default',
})

/** Moves what endpoints were sent about a merged contact to the one that remains, a batch at a time. */
export const MoveDeliveries = job(
  'webhook.move-deliveries',
  Type.Object({ contactId: Type.String() }),
  { queue: 'default' },
)
