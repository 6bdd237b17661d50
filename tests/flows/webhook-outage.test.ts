import { expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import { Receiver } from '../support/receiver'
import { World } from '../support/world'

/**
 * Events while the receiver is down. `bun run bench webhooks outage` takes 50,000, moves the clock in
 * smaller steps and compares more times.
 */
const isFull = process.env['OUTAGE_EVENTS'] !== undefined
const EVENTS = Number(process.env['OUTAGE_EVENTS'] ?? 120)
const CONTACTS = 40
const HOURS = 48
const STEP_MINUTES = isFull ? 5 : 60
const MAX_PROBES = 700

/** Rounds whose times are compared, and events in each. */
const ROUNDS = isFull ? 3 : 1
const IN_A_ROUND = isFull ? 60 : 5

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const p99 = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0

test(`a receiver that was down for ${HOURS} hours gets everything, in order, once it is back`, async () => {
  await using broken = new Receiver()
  await using healthy = new Receiver()
  const hosts = [broken, healthy].map(({ url }) => new URL(url).host)
  await using world = await World.create({ env: { EGRESS_ALLOW: hosts.join() } })
  const admin = () => world.as('admin')
  const endpoint = async (name: string, url: string): Promise<string> => {
    const input = { name, url, events: ['contact.updated'], ordering: 'per_contact' }
    return String((await (await admin()).post('/api/webhooks', input)).data['id'])
  }
  const id = await endpoint('Broken', broken.url)
  await endpoint('Healthy', healthy.url)
  const contacts: string[] = []
  for (let nth = 0; nth < CONTACTS; nth += 1) {
    const input = { phone_number: `+1555${4_000_000 + nth}` }
    contacts.push(String((await (await admin()).post('/api/contacts', input)).data['id']))
  }

  const changedAt = new Map<string, number>()
  const delays: number[] = []
  healthy.reply = ({ body }) => {
    delays.push(performance.now() - (changedAt.get(String(body.data['name'])) ?? 0))
    return new Response('')
  }
  let changes = 0
  const change = async (count: number): Promise<void> => {
    const client = await admin()
    for (let nth = 0; nth < count; nth += 1) {
      const name = `Name ${(changes += 1)}`
      changedAt.set(name, performance.now())
      await client.put(`/api/contacts/${contacts[changes % CONTACTS]}`, { name })
    }
    await world.settle()
  }
  /** The other endpoint's time from a change to its receiver, p99 of each round. */
  const rounds = async (): Promise<number[]> => {
    const found: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      delays.length = 0
      for (let nth = 0; nth < IN_A_ROUND; nth += 1) await change(1)
      found.push(p99(delays))
    }
    return found
  }

  await rounds()
  const before = median(await rounds())
  const settled = broken.received.length
  broken.reply = () => new Response('', { status: 503 })
  const steps = (HOURS * 60) / STEP_MINUTES
  for (let step = 0; step < steps; step += 1) {
    await change(Math.floor(((step + 1) * EVENTS) / steps) - Math.floor((step * EVENTS) / steps))
    world.clock.advance({ minutes: STEP_MINUTES })
    await world.settle()
  }
  const during = median(await rounds())
  const tried = broken.received.length - settled
  const [attempts] = world.rows<{ n: number }>(
    `select count(*) as n from webhook_attempts join webhook_deliveries
       on webhook_attempts.organization_id = webhook_deliveries.organization_id and delivery_id = id
     where webhook_deliveries.endpoint_id = ? and status_code = 503`,
    id,
  )
  expect(tried).toBeLessThanOrEqual(MAX_PROBES)
  expect(attempts?.n).toBeLessThan(50)

  const start = broken.received.length
  broken.reply = () => new Response('')
  const startedMs = performance.now()
  for (let minutes = 0; minutes < 10; minutes += 1) {
    world.clock.advance({ minutes: 1 })
    await world.settle()
  }
  const tookS = (performance.now() - startedMs) / 1_000
  const arrived = broken.received.slice(start)
  expect(arrived).toHaveLength(EVENTS + ROUNDS * IN_A_ROUND)
  const lines = Map.groupBy(arrived, ({ body }) => String(body.data['id']))
  for (const line of lines.values()) {
    const order = line.map(({ body }) => body.seq)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  }
  const about = (await (await admin()).get(`/api/webhooks/${id}`)).data
  expect(about).toMatchObject({ state: 'healthy', stats: { pending: 0 } } as Loose)
  process.stdout.write(
    `outage: ${arrived.length} events in ${HOURS} hours: ${tried} requests while the receiver was down, ${attempts?.n} of them attempts; all of them arrived in order, ${Math.round(arrived.length / tookS)} a second, once it was back. Another endpoint's p99 from change to receiver: ${before.toFixed(1)} ms before, ${during.toFixed(1)} ms while they waited (medians of ${ROUNDS} rounds).\n`,
  )
}, 3_000_000)
