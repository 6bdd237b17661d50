import { expect, test } from 'bun:test'
import fc from 'fast-check'

import type { Webhook } from '../../src/simulator/payloads'
import { pick, seededRandom, shuffled } from '../../src/simulator/random'
import type { Loose } from '../support/client'
import { lineOf } from '../support/lines'
import { digestOf } from '../support/digest'
import { World, type Tenant } from '../support/world'
import { changeRows } from '../support/sql'

/** One thing as the platform would tell it, and whose it is. */
interface Item {
  tenant: number
  kind: 'message' | 'status' | 'echo' | 'wish' | 'name' | 'past'
  item: Loose
  contact: Loose | null
}

const START_S = Date.UTC(2026, 10, 21, 9, 30) / 1_000
const STATUSES = ['sent', 'delivered', 'read', 'failed', 'played']

/**
 * Two tenants with messages of their own on their way, whose statuses the platform has not told
 * yet.
 */
async function worldWithSentMessages(): Promise<{ world: World; sent: string[][] }> {
  const world = await World.create()
  const sent: string[][] = []
  for (const tenant of world.tenants) {
    const contact = await world.contactOf(tenant, 'Hello!', '15550300001')
    const admin = await world.as('admin', tenant)
    world.simulator.swallowStatuses({ phone: tenant.phoneId, times: 4 })
    const ids: string[] = []
    for (const text of ['One', 'Two', 'Three', 'Four'])
      ids.push(
        String(
          (await admin.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text }))
            .data['id'],
        ),
      )
    await world.settle()
    const told = await Promise.all(ids.map((id) => admin.get(`/api/messages/${id}`)))
    sent.push(told.map(({ data }) => data['wa_message_id'] as string))
    expect(new Set(sent.at(-1)?.filter((id) => typeof id === 'string')).size).toBe(4)
  }
  return { world, sent }
}

/**
 * A day of one tenant as it is made up: what has been said, by whom, and where people have moved.
 */
interface Day {
  tenant: number
  sent: string[]
  /** To whom each of our messages went. */
  recipients: Map<string, string>
  /** Messages of each person, by the number it began with. */
  said: Map<string, string[]>
  echoed: string[]
  /** The number each person has now. */
  numbers: Map<string, string>
  moves: number
}

type Random = () => number
type Invent = (day: Day, random: Random, nth: number) => Omit<Item, 'tenant'> | null

/**
 * A customer's message of whatever content; what is said is remembered, to be quoted, changed and
 * reacted to.
 */
function messageOf(day: Day, random: Random, nth: number, content: Loose): Omit<Item, 'tenant'> {
  const person = String(15_550_300_000 + Math.floor(random() * 8))
  const phone = day.numbers.get(person) ?? person
  // Who moved keeps its name: which of two names is newer cannot be told while the move is not
  // known.
  const isMover = day.numbers.has(person) || Number(person) % 8 < 3
  const name = !isMover && random() < 0.2 ? `Renamed ${nth}` : `Person ${person}`
  const id = `wamid.happening-${day.tenant}-${nth}`
  const quoted = random() < 0.3 ? pick(random, day.said.get(person) ?? []) : undefined
  if (content['type'] === 'text') day.said.set(person, [...(day.said.get(person) ?? []), id])
  const context = quoted === undefined ? {} : { context: { from: phone, id: quoted } }
  const contact = { wa_id: phone, profile: { name } }
  return { kind: 'message', contact, item: { from: phone, id, ...content, ...context } }
}

const anyMessage = (day: Day, random: Random): string | undefined =>
  pick(
    random,
    [...day.said.values()]
      .flat()
      .concat(day.sent, day.echoed, `wamid.never-${Math.floor(random() * 3)}`),
  )

const INVENTIONS: Record<string, { share: number; invent: Invent }> = {
  text: {
    share: 8,
    invent: (day, random, nth) =>
      messageOf(day, random, nth, { type: 'text', text: { body: `Text ${nth} é 🍕` } }),
  },
  other: {
    share: 1,
    invent: (day, random, nth) =>
      messageOf(
        day,
        random,
        nth,
        pick(random, [
          { type: 'hologram', hologram: {} },
          { type: 'location', location: { latitude: nth, longitude: 2 } },
        ]) ?? {},
      ),
  },
  advertised: {
    share: 1,
    invent: (day, random, nth) =>
      messageOf(day, random, nth, {
        type: 'text',
        text: { body: `Ad ${nth}` },
        referral: { source_type: 'ad', source_id: `ad-${nth}` },
      }),
  },
  status: {
    share: 5,
    invent(day, random, nth) {
      const status = pick(random, STATUSES) ?? 'sent'
      const id =
        random() < 0.8 ? pick(random, day.sent.concat(day.echoed)) : `wamid.unknown-${nth % 7}`
      const errors =
        status === 'failed'
          ? { errors: [{ code: pick(random, [131026, 131047, 131049]), title: 'No' }] }
          : {}
      const pricing = {
        billable: random() < 0.5,
        category: pick(random, ['service', 'utility']),
        type: 'regular',
        pricing_model: 'PMP',
      }
      return {
        kind: 'status',
        contact: null,
        item: {
          id,
          status,
          recipient_id: day.recipients.get(id ?? '') ?? '15550300001',
          pricing,
          ...errors,
        },
      }
    },
  },
  reaction: {
    share: 4,
    invent(day, random, nth) {
      const reaction = {
        message_id: anyMessage(day, random),
        ...(random() < 0.75 ? { emoji: pick(random, ['👍', '🎉', '🙏']) } : {}),
      }
      return messageOf(day, random, nth, { type: 'reaction', reaction })
    },
  },
  edit: {
    share: 3,
    invent(day, random, nth) {
      const inner = { type: 'text', text: { body: `Edited ${nth}` } }
      return messageOf(day, random, nth, {
        type: 'edit',
        edit: { original_message_id: anyMessage(day, random), message: inner },
      })
    },
  },
  revoke: {
    share: 2,
    invent: (day, random, nth) =>
      messageOf(day, random, nth, {
        type: 'revoke',
        revoke: { original_message_id: anyMessage(day, random) },
      }),
  },
  move: {
    share: 1,
    invent(day, _random, nth) {
      const person = String(15_550_300_000 + (day.moves % 3))
      const [from, to] = [day.numbers.get(person) ?? person, String(15_550_390_000 + nth)]
      day.moves += 1
      day.numbers.set(person, to)
      const system = {
        body: `User changed from ${from} to ${to}`,
        wa_id: to,
        type: 'user_changed_number',
      }
      return {
        kind: 'message',
        contact: null,
        item: { from, id: `wamid.move-${day.tenant}-${nth}`, type: 'system', system },
      }
    },
  },
  // Somebody known by a user id writes now from this, now from that number, or shows none.
  roam: {
    share: 2,
    invent(_day, random, nth) {
      const person = Math.floor(random() * 2)
      const from =
        random() < 0.2
          ? {}
          : { from: String(15_550_380_000 + person * 10 + (Math.floor(nth / 8) % 3)) }
      const userId = `US.9500000000000000000${person}`
      const contact = {
        ...('from' in from ? { wa_id: from.from } : {}),
        user_id: userId,
        profile: { name: `Roamer ${nth}` },
      }
      return {
        kind: 'message',
        contact,
        item: {
          ...from,
          from_user_id: userId,
          id: `wamid.roam-${nth}`,
          type: 'text',
          text: { body: `Roaming ${nth}` },
        },
      }
    },
  },
  echo: {
    share: 3,
    invent(day, random, nth) {
      const id = `wamid.echo-${day.tenant}-${nth}`
      const person = String(15_550_300_000 + Math.floor(random() * 8))
      const to = day.numbers.get(person) ?? person
      const target = pick(random, day.echoed)
      if (target !== undefined && random() < 0.3) {
        const content =
          random() < 0.5
            ? { type: 'revoke', revoke: { original_message_id: target } }
            : {
                type: 'edit',
                edit: {
                  original_message_id: target,
                  message: { type: 'text', text: { body: `Phone edit ${nth}` } },
                },
              }
        return { kind: 'echo', contact: null, item: { to, id, ...content } }
      }
      day.echoed.push(id)
      day.recipients.set(id, to)
      return {
        kind: 'echo',
        contact: null,
        item: { to, id, type: 'text', text: { body: `By phone ${nth}` } },
      }
    },
  },
  wish: {
    share: 1,
    invent: (_day, random) => ({
      kind: 'wish',
      contact: null,
      item: {
        wa_id: '15550300005',
        value: pick(random, ['stop', 'resume']),
        category: 'marketing_messages',
      },
    }),
  },
  name: {
    share: 1,
    invent: (_day, random, nth) => ({
      kind: 'name',
      contact: null,
      item: {
        type: 'contact',
        action: random() < 0.7 ? 'add' : 'remove',
        contact: {
          phone_number: pick(random, ['15550300006', '15550300007']),
          full_name: `Book ${nth}`,
        },
      },
    }),
  },
  past: {
    share: 1,
    invent: (_day, random, nth) => ({
      kind: 'past',
      contact: null,
      item: {
        from: '15550300004',
        id: `wamid.past-${nth}`,
        type: 'text',
        text: { body: `Long ago ${nth}` },
        ...(random() < 0.5
          ? { to: '15550300004', from: '15550100001', history_context: { status: 'READ' } }
          : {}),
      },
    }),
  },
}

const CHANCES = Object.values(INVENTIONS).flatMap(({ share, invent }) =>
  Array.from({ length: share }, () => invent),
)

/** So many happenings of a day, in the order of their times. */
function happenings(count: number, sent: string[][], seed: number): Item[] {
  const random = seededRandom(seed)
  const days = sent.map((ids, tenant): Day => ({
    tenant,
    sent: ids,
    recipients: new Map(),
    said: new Map(),
    echoed: [],
    numbers: new Map(),
    moves: 0,
  }))
  return Array.from({ length: count }, (_, nth) => {
    const day = days[nth % 2] as Day
    const timestamp = String(START_S - count * 10 + nth * 10)
    const told = pick(random, CHANCES)?.(day, random, nth)
    if (!told) return []
    // History is of before the number was connected, the rest of after that.
    const when =
      told.kind === 'name'
        ? { metadata: { timestamp } }
        : { timestamp: told.kind === 'past' ? String(Number(timestamp) - 9_000_000) : timestamp }
    return [{ tenant: day.tenant, ...told, item: { ...told.item, ...when } }]
  }).flat()
}

const FIELDS: Partial<Record<Item['kind'], string>> = {
  echo: 'smb_message_echoes',
  wish: 'user_preferences',
  name: 'smb_app_state_sync',
  past: 'history',
}

/** A change of a webhook with what of one kind it tells. */
function valueOf(kind: Item['kind'], item: Loose, contact: Loose | null): Loose {
  const people = contact === null ? {} : { contacts: [contact] }
  switch (kind) {
    case 'echo':
      return { message_echoes: [item] }
    case 'wish':
      return { user_preferences: [item] }
    case 'name':
      return { state_sync: [item] }
    case 'past':
      return { history: [{ threads: [{ id: '15550300004', messages: [item] }] }] }
    default:
      return { ...people, messages: [item] }
  }
}

/**
 * One webhook of some happenings: of each tenant changes with messages and one with all statuses.
 */
function webhookOf(items: Item[], tenants: Tenant[]): Webhook {
  const entry = tenants.flatMap((tenant, index) => {
    const own = items.filter((item) => item.tenant === index)
    if (own.length === 0) return []
    const line = lineOf(tenant)
    const metadata = {
      display_phone_number: line.displayPhoneNumber,
      phone_number_id: line.phoneNumberId,
    }
    const changeOf = (field: string, value: Loose) => ({
      field,
      value: { messaging_product: 'whatsapp', metadata, ...value },
    })
    const statuses = own.filter(({ kind }) => kind === 'status').map(({ item }) => item)
    const changes = own
      .filter(({ kind }) => kind !== 'status')
      .map(({ kind, item, contact }) =>
        changeOf(FIELDS[kind] ?? 'messages', valueOf(kind, item, contact)),
      )
    return [
      {
        id: line.wabaId,
        changes: statuses.length === 0 ? changes : [...changes, changeOf('messages', { statuses })],
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

/**
 * Has a part of what is delivered fail when it is stored, as something broken of our own would,
 * after its contact was found or made.
 */
const BREAKS = [
  ['messages', "new.wa_message_id like 'wamid.%7' or new.wa_message_id like 'wamid.roam-%3'"],
  ['message_statuses', "new.status = 'played'"],
  ['message_reactions', "new.emoji = '🎉'"],
].map(
  ([table, what]) =>
    `create trigger ${table}_broken before insert on ${table} when ${what} begin select raise(abort, 'broken'); end;`,
)

/** Each event has the next number of its organization, and what was stored was announced once. */
function expectWholeLog(world: World): void {
  const heads = 'select organization_id, seq, oldest_seq from event_heads order by 1'
  const logs =
    'select organization_id, max(seq) as seq, max(seq) - count(*) + 1 as oldest_seq from events group by 1 order by 1'
  expect(world.rows(logs)).toEqual(world.rows(heads))
  const told =
    "select payload ->> 'messageId' as id from events where type = 'message.received' order by 1"
  const stored =
    "select id from messages where direction = 'incoming' and wa_message_id not like 'wamid.past-%' order by 1"
  expect(world.rows(told)).toEqual(world.rows(stored))
}

async function onceInOrder(count: number, seed: number, broken: string[] = []): Promise<unknown> {
  const { world, sent } = await worldWithSentMessages()
  await using _ = world
  for (const trigger of broken) changeRows(world.program.http.db.sqlite, trigger)
  await postAll(
    world,
    happenings(count, sent, seed).map((item) => [item]),
  )
  return await digestOf(world)
}

async function thriceShuffled(
  count: number,
  seed: number,
  order: { seed: number; most: number },
  broken: string[] = [],
): Promise<unknown> {
  const { world, sent } = await worldWithSentMessages()
  await using _ = world
  for (const trigger of broken) changeRows(world.program.http.db.sqlite, trigger)
  const random = seededRandom(order.seed)
  const items = happenings(count, sent, seed)
  await postAll(world, cut(shuffled(random, [...items, ...items, ...items]), random, order.most))
  expectWholeLog(world)
  return await digestOf(world)
}

/** Events of the longest day; `SAME_ROWS_EVENTS=1000` for a busier one. */
const EVENTS = Number(process.env['SAME_ROWS_EVENTS'] ?? 60)
/** Random short days; `SAME_ROWS_DAYS=20` for more. */
const DAYS = Number(process.env['SAME_ROWS_DAYS'] ?? 1)

/** Days on which a part breaks, with the size of their batches; as many as random days. */
const BROKEN_DAYS = (
  [
    [13, 40],
    [11, 1],
    [12, 3],
  ] as const
).slice(0, DAYS)

test('the same webhooks three times, in any order and any batches, leave the same rows as once in order', async () => {
  const seed = fc.integer({ min: 1, max: 2 ** 31 - 1 })
  await fc.assert(
    fc.asyncProperty(seed, seed, fc.constantFrom(1, 5, 50, 180), async (day, order, most) => {
      expect(await thriceShuffled(60, day, { seed: order, most })).toEqual(
        await onceInOrder(60, day),
      )
    }),
    { numRuns: DAYS, seed: 4_711, endOnFailure: true },
  )
}, 60_000)

test('an item that cannot be stored leaves the rows of the items processed with it unchanged', async () => {
  for (const [day, most] of BROKEN_DAYS)
    expect(await thriceShuffled(80, day, { seed: day * 7, most }, BREAKS)).toEqual(
      await onceInOrder(80, day, BREAKS),
    )
}, 60_000)

test('many events three times, in batches of any size, leave the same rows as once in order', async () => {
  expect(await thriceShuffled(EVENTS, 5, { seed: 77, most: EVENTS })).toEqual(
    await onceInOrder(EVENTS, 5),
  )
}, 60_000)

test('the comparison of rows detects another set of events', async () => {
  expect(await onceInOrder(20, 1)).not.toEqual(await onceInOrder(21, 1))
})
