import { expect, test } from 'bun:test'
import fc from 'fast-check'

import type { Webhook } from '../simulator/payloads'
import { pick, seededRandom, shuffled } from '../simulator/random'
import type { Loose } from '../support/client'
import { lineOf } from '../support/lines'
import { World, type Tenant } from '../support/world'

/** One message or status as the platform would tell it, and whose it is. */
interface Item {
  tenant: number
  kind: 'message' | 'status'
  item: Loose
  contact: Loose | null
}

const START_S = Date.UTC(2026, 10, 21, 9, 30) / 1_000
const STATUSES = ['sent', 'delivered', 'read', 'failed', 'played']

/** Two tenants with messages of their own on their way, whose statuses the platform has not told yet. */
async function worldWithSentMessages(): Promise<{ world: World; sent: string[][] }> {
  const world = await World.create()
  const sent: string[][] = []
  for (const tenant of world.tenants) {
    const contact = await world.contactOf(tenant, 'Hello!', '15550300001')
    const admin = await world.as('admin', tenant)
    world.simulator.swallowStatuses({ phone: tenant.phoneId, times: 4 })
    const ids: string[] = []
    for (const text of ['One', 'Two', 'Three', 'Four']) {
      const { data } = await admin.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text })
      await world.settle()
      ids.push(String((await admin.get(`/api/messages/${data['id']}`)).data['wa_message_id']))
    }
    sent.push(ids)
  }
  return { world, sent }
}

/** So many happenings of a day, in the order of their times: texts, replies to them, changed names, statuses. */
function happenings(count: number, sent: string[][], seed: number): Item[] {
  const random = seededRandom(seed)
  const told = new Map<string, string[]>()
  return Array.from({ length: count }, (_, nth): Item => {
    const timestamp = String(START_S - count * 10 + nth * 10)
    const tenant = nth % 2
    if (random() < 0.3) {
      const status = pick(random, STATUSES) ?? 'sent'
      const id = random() < 0.8 ? pick(random, sent[tenant] ?? []) : `wamid.unknown-${nth % 7}`
      const errors = status === 'failed' ? { errors: [{ code: pick(random, [131026, 131047, 131049]), title: 'No' }] } : {}
      const pricing = { billable: random() < 0.5, category: pick(random, ['service', 'utility']), type: 'regular', pricing_model: 'PMP' }
      return { tenant, kind: 'status', contact: null, item: { id, status, timestamp, recipient_id: '15550300001', pricing, ...errors } }
    }
    const person = Math.floor(random() * 12)
    const phone = String(15_550_300_000 + person)
    const id = `wamid.happening-${nth}`
    const place = `${tenant} ${phone}`
    const quoted = random() < 0.3 ? pick(random, told.get(place) ?? []) : undefined
    told.set(place, [...(told.get(place) ?? []), id])
    const context = quoted === undefined ? {} : { context: { from: phone, id: quoted } }
    const name = random() < 0.2 ? `Renamed ${nth}` : `Person ${person}`
    return {
      tenant,
      kind: 'message',
      contact: { wa_id: phone, profile: { name } },
      item: { from: phone, id, timestamp, type: 'text', text: { body: `Text ${nth} é 🍕` }, ...context },
    }
  })
}

/** One webhook of some happenings: of each tenant one change with messages and statuses beside each other. */
function webhookOf(items: Item[], tenants: Tenant[]): Webhook {
  const entry = tenants.flatMap((tenant, index) => {
    const own = items.filter((item) => item.tenant === index)
    if (own.length === 0) return []
    const line = lineOf(tenant)
    const of = (kind: Item['kind']): Loose[] => own.filter((item) => item.kind === kind).map(({ item }) => item)
    // A contact stands once in a change, so a change whose sender has two names is told as two.
    const changes = own.some(({ kind }) => kind === 'message')
      ? own.filter(({ kind }) => kind === 'message').map(({ item, contact }) => ({ contacts: [contact], messages: [item] }))
      : []
    const statuses = of('status')
    const values: Loose[] = [...changes, ...(statuses.length > 0 ? [{ statuses }] : [])]
    const metadata = { display_phone_number: line.displayPhoneNumber, phone_number_id: line.phoneNumberId }
    return [
      {
        id: line.wabaId,
        changes: values.map((value) => ({ field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } })),
      },
    ]
  })
  return { object: 'whatsapp_business_account', entry }
}

async function postAll(world: World, batches: Item[][]): Promise<void> {
  for (const batch of batches) {
    const { status } = await world.simulator.post(webhookOf(batch, world.tenants))
    expect(status).toBe(200)
  }
  await world.settle()
}

const VOLATILE = new Set(['id', 'conversation_id', 'contact_id', 'account_id', 'received_at', 'created_at', 'updated_at', 'first_seen_at'])

/** A value without what legitimately differs between two runs: ids of ours and times of receipt. */
function stable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !VOLATILE.has(key))
      .map(([key, member]) => [key, stable(member)]),
  )
}

/** Everything a world's tenants see of contacts, conversations and messages, and the ledger of statuses. */
async function digestOf(world: World): Promise<unknown> {
  const seen: unknown[] = []
  for (const tenant of world.tenants) {
    const admin = await world.as('admin', tenant)
    const contacts = (await admin.get('/api/contacts?sort=last_message_at&limit=100')).data['items'] as Loose[]
    const byNumber = contacts.toSorted((a, b) => String(a['phone_number']).localeCompare(String(b['phone_number'])))
    for (const contact of byNumber) {
      const messages: Loose[] = []
      for (let page = 1, more = true; more; page += 1) {
        const { data } = await admin.get(`/api/contacts/${contact['id']}/messages?limit=100&page=${page}`)
        messages.push(...(data['items'] as Loose[]))
        more = data['has_more'] as boolean
      }
      seen.push(
        stable(contact),
        messages.map(stable).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      )
    }
    const conversations = (await admin.get('/api/conversations?limit=100')).data['items'] as Loose[]
    seen.push(conversations.map(stable).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)))
  }
  const ledger = world.rows(
    'select wa_message_id, status, participant, timestamp_ms, errors, pricing from message_statuses order by organization_id, 1, 2, 3',
  )
  return { seen, ledger }
}

/** The same items cut into pieces of 1 to `most`. */
function cut<T>(items: T[], random: () => number, most: number): T[][] {
  const pieces: T[][] = []
  for (let at = 0; at < items.length;) {
    const size = 1 + Math.floor(random() ** 3 * most)
    pieces.push(items.slice(at, at + size))
    at += size
  }
  return pieces
}

async function onceInOrder(count: number, seed: number): Promise<unknown> {
  const { world, sent } = await worldWithSentMessages()
  await using _ = world
  await postAll(
    world,
    happenings(count, sent, seed).map((item) => [item]),
  )
  return await digestOf(world)
}

async function thriceShuffled(count: number, seed: number, order: { seed: number; most: number }): Promise<unknown> {
  const { world, sent } = await worldWithSentMessages()
  await using _ = world
  const random = seededRandom(order.seed)
  const items = happenings(count, sent, seed)
  await postAll(world, cut(shuffled(random, [...items, ...items, ...items]), random, order.most))
  return await digestOf(world)
}

test('the same webhooks three times, in any order and any batches, leave the rows of once in order', async () => {
  const once = await onceInOrder(60, 11)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.constantFrom(1, 5, 50, 180), async (seed, most) => {
      expect(await thriceShuffled(60, 11, { seed, most })).toEqual(once)
    }),
    { numRuns: 6, seed: 4_711, endOnFailure: true },
  )
}, 60_000)

test('a thousand events three times over, in batches of 1 to 1000, leave the rows of once in order', async () => {
  expect(await thriceShuffled(1_000, 5, { seed: 77, most: 1_000 })).toEqual(await onceInOrder(1_000, 5))
}, 60_000)

test('the rows of two orders are really looked at: another set of events is another digest', async () => {
  expect(await onceInOrder(20, 1)).not.toEqual(await onceInOrder(21, 1))
})
