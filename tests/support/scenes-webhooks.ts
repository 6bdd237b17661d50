import type { Client, Loose } from './client'
import type { Stage } from './scenes'
import type { World } from './world'

/** Nobody answers at a reserved name (RFC 2606), and no packet leaves for it. */
const URL = 'https://receiver.invalid/hook'

/** Creates an endpoint, a delivery that failed, and a replay. Returns their IDs. */
export async function webhooksOf(client: Client, name: string) {
  const { data: endpoint } = await client.post('/api/webhooks', {
    name,
    url: URL,
    events: ['message.received'],
  })
  const id = String(endpoint['id'])
  const { data: tried } = await client.post(`/api/webhooks/${id}/test`, {})
  const { data: replay } = await client.post(`/api/webhooks/${id}/replay`, {
    from: new Date(Date.parse(String(endpoint['created_at'])) - 60_000).toISOString(),
  })
  return {
    webhookEndpoint: id,
    webhookDelivery: String(tried['delivery_id']),
    webhookReplay: String(replay['replay_id']),
  }
}

type Prepare = (world: World) => Promise<Stage>

const prepared = async (world: World) => await webhooksOf(await world.as('admin'), 'Receiver')

const endpoint: Prepare = async (world) => ({ id: (await prepared(world)).webhookEndpoint })
const delivery: Prepare = async (world) => ({ id: (await prepared(world)).webhookDelivery })
const replay: Prepare = async (world) => {
  const { webhookEndpoint, webhookReplay } = await prepared(world)
  return { ids: [webhookEndpoint, webhookReplay] }
}

/** An endpoint in the middle of a rotation. */
const rotated: Prepare = async (world) => {
  const { webhookEndpoint: id } = await prepared(world)
  await (await world.as('admin')).post(`/api/webhooks/${id}/rotate-secret`, {})
  return { id }
}

const sinceHour = (world: World): Loose => ({
  from: new Date(world.clock.nowMs() - 3_600_000).toISOString(),
})

const lastHour: Prepare = async (world) => ({
  ...(await endpoint(world)),
  body: sinceHour(world),
})

/** Prepares the data for the documented examples of webhooks. */
export const WEBHOOK_STAGES: Record<string, Prepare> = {
  'GET /api/webhooks/:id': endpoint,
  'PUT /api/webhooks/:id': endpoint,
  'DELETE /api/webhooks/:id': endpoint,
  'POST /api/webhooks/:id/test': endpoint,
  'POST /api/webhooks/:id/rotate-secret': endpoint,
  'POST /api/webhooks/:id/revoke-secret': rotated,
  'POST /api/webhooks/:id/enable': endpoint,
  'POST /api/webhooks/:id/disable': endpoint,
  'GET /api/webhooks/:id/deliveries': endpoint,
  'GET /api/webhooks/deliveries/:delivery_id': delivery,
  'POST /api/webhooks/deliveries/:delivery_id/resend': delivery,
  'POST /api/webhooks/:id/replay': lastHour,
  'POST /api/webhooks/:id/replay/preview': lastHour,
  'GET /api/webhooks/:id/replays/:replay_id': replay,
  'DELETE /api/webhooks/:id/replays/:replay_id': replay,
}
