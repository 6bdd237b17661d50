import { describe, expect, test } from 'bun:test'

import { packBody } from '../../src/platform/webhook/pack-body'
import {
  batch,
  combine,
  systemNumberChanged,
  systemUserIdChanged,
  textMessage,
  type About,
  type NamedBy,
  type Person,
  type Webhook,
} from '../../src/simulator/payloads'
import { standbyEcho } from '../../src/simulator/standby'
import type { Client, Loose } from '../support/client'
import {
  deliver,
  lineOf,
  personOf,
  secondsIn,
  statusTo,
  takenBodies,
  textTo,
  valueOf,
} from '../support/lines'
import { changeRows } from '../support/sql'
import { World } from '../support/world'

const SECOND_NUMBER = '301000000000077'
const FORMER = 'US.95000000000000000001'
const PRESENT = 'US.95000000000000000002'
const LAST = 'US.95000000000000000003'
const NUMBER = '15550366666'
const NEIGHBOR = personOf(8, 'Neighbor')

/** A person who hides the number, and one who shows it. */
const HIDDEN: Person = { userId: FORMER, name: 'Ana' }
const VISIBLE: Person = { ...HIDDEN, waId: NUMBER }

/** A world whose first tenant has a second number, with people who wrote to all three numbers. */
class Acquaintance implements AsyncDisposable {
  private constructor(
    readonly world: World,
    readonly person: Person,
  ) {}

  admin(): Promise<Client> {
    return this.world.as('admin')
  }

  static async create(person: Person): Promise<Acquaintance> {
    const world = await World.create()
    const { wabaId, token } = world.tenant
    world.simulator.addPhone({ id: SECOND_NUMBER, wabaId, token })
    const admin = await world.as('admin')
    await admin.post('/api/accounts', {
      name: 'Second',
      phone_id: SECOND_NUMBER,
      business_id: wabaId,
      access_token: token,
    })
    const at = new Acquaintance(world, person)
    for (const line of [at.first, at.second, lineOf(world.other)])
      for (const who of [NEIGHBOR, person]) {
        await deliver(world, textTo(world, 'Hello', { person: who, line }))
        world.clock.advance({ seconds: 1 })
      }
    return at
  }

  get first() {
    return lineOf(this.world.tenant)
  }

  get second() {
    return { ...this.first, phoneNumberId: SECOND_NUMBER }
  }

  /** What webhooks about the person at the current time have in common. */
  about(line = this.first, person = this.person): About {
    return { line, person, timestamp: secondsIn(this.world) }
  }

  async says(text: string, person: Person): Promise<void> {
    await deliver(this.world, textTo(this.world, text, { person }))
  }

  /** The contacts of the first tenant except the neighbor, as the API shows them. */
  async contacts(): Promise<Loose[]> {
    const listed = (await (await this.admin()).get('/api/contacts?sort=created_at&order=asc')).data[
      'items'
    ]
    const others = (listed as Loose[]).filter(({ user_id }) => user_id !== NEIGHBOR.userId)
    return await Promise.all(
      others.map(
        async ({ id }) => (await (await this.admin()).get(`/api/contacts/${String(id)}`)).data,
      ),
    )
  }

  /** The only contact of the person. */
  async contact(): Promise<Loose> {
    const [contact, ...others] = await this.contacts()
    expect(others).toEqual([])
    return contact as Loose
  }

  /** IDs of the contact's conversations, with their numbers. */
  conversations(): Loose[] {
    return this.world.rows(
      `select hex(t.id) as id, hex(t.account_id) as account from conversations t
        join contacts c on c.organization_id = t.organization_id and c.id = t.contact_id
        where t.organization_id = ? and c.deleted_at_ms is null and c.user_id is not ?
        order by t.id`,
      this.world.tenant.id,
      NEIGHBOR.userId ?? '',
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.stop()
  }
}

const identitiesOf = (contact: Loose): string[] =>
  (contact['identities'] as Loose[])
    .map(({ kind, value }) => `${String(kind)} ${String(value)}`)
    .toSorted()

const FORMS: [NamedBy, Person][] = [
  ['nothing', HIDDEN],
  ['nothing', VISIBLE],
  ['new_id_in_contacts', HIDDEN],
  ['new_id_in_contacts', VISIBLE],
  ['new_id_as_sender', HIDDEN],
  ['new_id_as_sender', VISIBLE],
  ['former_id_as_sender', HIDDEN],
  ['former_id_as_sender', VISIBLE],
  ['number', VISIBLE],
]

describe('a changed user ID keeps its person', () => {
  test.each(FORMS.map(([named, person]) => ({ named, person, waId: person.waId ?? 'no number' })))(
    'named by $named, of somebody with $waId: one contact with all identities, thread, consent and block',
    async ({ named, person }) => {
      await using at = await Acquaintance.create(person)
      const { world } = at
      const admin = await at.admin()
      const before = await at.contact()
      const conversations = at.conversations()
      expect(conversations.length).toBe(2)
      const path = `/api/contacts/${before['id']}`
      await admin.post(`${path}/consents`, { state: 'opted_out' })
      await admin.post(`${path}/notes`, { content: 'Likes tea' })
      expect((await admin.post(`${path}/block`)).status).toBe(200)
      await world.settle()
      for (const line of [at.first, at.second]) {
        world.clock.advance({ seconds: 1 })
        await deliver(world, systemUserIdChanged(PRESENT, at.about(line), named))
      }
      world.clock.advance({ seconds: 1 })
      await at.says('It is still me', { userId: PRESENT, name: 'Ana' })
      const after = await at.contact()
      expect(after).toMatchObject({
        id: before['id'],
        user_id: PRESENT,
        // The ID is a new one because the number is, and WhatsApp does not tell the new number.
        phone_number: null,
        wa_id: null,
        marketing_consent: 'opted_out',
        blocked: true,
      })
      expect((await admin.get(`${path}/notes`)).data).toMatchObject({
        items: [{ content: 'Likes tea' }],
      })
      expect(identitiesOf(after)).toEqual([
        ...(person.waId === undefined ? [] : [`phone ${person.waId}`]),
        `user_id ${FORMER}`,
        `user_id ${PRESENT}`,
      ])
      expect(at.conversations()).toEqual(conversations)
      const thread = (await admin.get(`${path}/messages`)).data['items'] as Loose[]
      expect(thread.map(({ type, content }) => [type, content['old'], content['new']])).toEqual([
        ['text', undefined, undefined],
        ['text', undefined, undefined],
        ['system', FORMER, PRESENT],
        ['system', FORMER, PRESENT],
        ['text', undefined, undefined],
      ])
      expect(world.rows('select * from contact_merges')).toEqual([])
      // Nothing was said to the other organization and about the neighbor.
      expect(
        world.rows(
          'select user_id from contacts where organization_id = ? order by id',
          world.other.id,
        ),
      ).toEqual([{ user_id: NEIGHBOR.userId }, { user_id: FORMER }])
      const neighbor = (await admin.get('/api/contacts?search=Neighbor')).data['items'] as Loose[]
      expect(neighbor).toMatchObject([{ user_id: NEIGHBOR.userId, blocked: false }])
    },
  )

  test.each<[string, Person]>([
    ['without a number', { ...HIDDEN }],
    ['from the former number', { ...VISIBLE }],
  ])(
    'who changes the number too, told %s: one contact with the new number and both IDs',
    async (_, person) => {
      await using at = await Acquaintance.create(person)
      const before = await at.contact()
      await deliver(at.world, systemNumberChanged('15550377777', at.about(), PRESENT))
      const after = await at.contact()
      expect(after).toMatchObject({
        id: before['id'],
        user_id: PRESENT,
        phone_number: '15550377777',
        wa_id: '15550377777',
      })
      expect(identitiesOf(after)).toEqual([
        ...(person.waId === undefined ? [] : [`phone ${person.waId}`]),
        'phone 15550377777',
        `user_id ${FORMER}`,
        `user_id ${PRESENT}`,
      ])
      const { data } = await (
        await at.admin()
      ).get(`/api/contacts/${after['id']}/messages?type=system`)
      expect(data['items']).toMatchObject([
        { content: { event: 'number_changed', old: person.waId ?? null, new: '15550377777' } },
      ])
    },
  )

  test('with the parent IDs of linked businesses, which find the person as well', async () => {
    await using at = await Acquaintance.create(HIDDEN)
    const before = await at.contact()
    const [formerParent, parent] = ['US.ENT.9500001', 'US.ENT.9500002']
    const told = systemUserIdChanged(PRESENT, at.about())
    Object.assign(valueOf(told)['messages'][0]['system'], {
      previous_parent_user_id: formerParent,
      parent_user_id: parent,
    })
    await deliver(at.world, told)
    const after = await at.contact()
    expect(after).toMatchObject({ id: before['id'], user_id: PRESENT, parent_user_id: parent })
    expect(identitiesOf(after)).toEqual([
      `parent_user_id ${formerParent}`,
      `parent_user_id ${parent}`,
      `user_id ${FORMER}`,
      `user_id ${PRESENT}`,
    ])
  })

  test('while another app owns the thread', async () => {
    await using world = await World.create()
    world.simulator.shareNumber({ phone: world.tenant.phoneId })
    const ana = world.simulator.customer({
      phone: world.tenant.phoneId,
      waId: null,
      userId: FORMER,
      name: 'Ana',
    })
    await ana.says('Hi')
    await ana.changesUserId(PRESENT)
    await ana.says('Still me')
    await world.settle()
    expect(
      world.rows("select field, state from inbound_events where field = 'standby'"),
    ).toHaveLength(3)
    const admin = await world.as('admin')
    const { data } = await admin.get('/api/contacts')
    expect(data).toMatchObject({ total: 1, items: [{ user_id: PRESENT }] })
    const [contact] = data['items'] as Loose[]
    const thread = (await admin.get(`/api/contacts/${contact?.['id']}/messages`)).data['items']
    expect(thread).toMatchObject([
      { type: 'text', observed: true },
      { type: 'system', observed: true },
      { type: 'text', observed: true },
    ])
  })

  test.each([
    ['who hides the number', null, 'at once'],
    ['who has left the number that we knew', NUMBER, 'at once'],
    ['who has left the number that we knew', NUMBER, 'after the person wrote'],
  ])('%s is answered under the new ID', async (_, waId, told) => {
    await using world = await World.create()
    const ana = world.simulator.customer({
      phone: world.tenant.phoneId,
      waId,
      userId: FORMER,
      name: 'Ana',
    })
    await ana.says('Hi')
    await world.settle()
    const person = { waId: waId ?? undefined, userId: FORMER, name: 'Ana' }
    const change = systemUserIdChanged(PRESENT, {
      line: lineOf(world.tenant),
      person,
      timestamp: secondsIn(world),
    })
    world.clock.advance({ seconds: 30 })
    const text = textTo(world, 'New phone', { person: { userId: PRESENT, name: 'Ana' } })
    for (const webhook of told === 'at once' ? [change, text] : [text, change])
      await deliver(world, webhook)
    const admin = await world.as('admin')
    const [contact, ...others] = (await admin.get('/api/contacts')).data['items'] as Loose[]
    expect(others).toEqual([])
    await admin.post(`/api/contacts/${contact?.['id']}/messages`, { type: 'text', text: 'Yes?' })
    await world.settle()
    const [body] = takenBodies(world)
    expect(body).toMatchObject({ recipient: PRESENT, text: { body: 'Yes?' } })
    expect(body).not.toHaveProperty('to')
  })

  test('who shows a number again has that number, also if it is the former one', async () => {
    for (const waId of [NUMBER, '15550377777']) {
      await using at = await Acquaintance.create(VISIBLE)
      const early = textTo(at.world, 'Before it', { person: VISIBLE })
      at.world.clock.advance({ seconds: 5 })
      await deliver(at.world, systemUserIdChanged(PRESENT, at.about()))
      // What was written before the change comes after it.
      await deliver(at.world, early)
      expect(await at.contact()).toMatchObject({ user_id: PRESENT, phone_number: null })
      at.world.clock.advance({ seconds: 5 })
      await at.says('Here it is', { waId, userId: PRESENT, name: 'Ana' })
      const { id } = await at.contact()
      expect(await at.contact()).toMatchObject({
        user_id: PRESENT,
        phone_number: waId,
        wa_id: waId,
      })
      at.world.clock.advance({ hours: 24 * 31 })
      await at.says('Without the ID', { waId, name: 'Ana' })
      expect(await at.contact()).toMatchObject({ id, phone_number: waId })
    }
  })

  test('whose former number is named again: it is not written to', async () => {
    await using at = await Acquaintance.create(VISIBLE)
    const { id } = await at.contact()
    const admin = await at.admin()
    const answer = `/api/contacts/${id}/messages`
    at.world.simulator.swallowStatuses({ times: 1 })
    const { data } = await admin.post(answer, { type: 'text', text: 'Yes?' })
    await at.world.settle()
    const { wa_message_id } = (await admin.get(`/api/messages/${data['id']}`)).data
    const late = systemUserIdChanged(PRESENT, at.about(at.second), 'number')
    await deliver(at.world, systemUserIdChanged(PRESENT, at.about()))
    at.world.clock.advance({ seconds: 5 })
    await at.says('It is me', { userId: PRESENT, name: 'Ana' })
    const read = statusTo(at.world, String(wa_message_id), 'read', { person: VISIBLE })
    const echo = standbyEcho('From another app', at.about())
    for (const webhook of [late, read, echo]) {
      await deliver(at.world, webhook)
      expect(await at.contact()).toMatchObject({ id, user_id: PRESENT, phone_number: null })
    }
    await admin.post(answer, { type: 'text', text: 'Still there?', take: true })
    await at.world.settle()
    expect(takenBodies(at.world).map(({ to, recipient }) => [to, recipient])).toEqual([
      [`+${NUMBER}`, undefined],
      [undefined, PRESENT],
    ])
  })

  test('whose former number belongs to somebody else after 30 days', async () => {
    await using at = await Acquaintance.create(VISIBLE)
    const { id } = await at.contact()
    await deliver(at.world, systemUserIdChanged(PRESENT, at.about()))
    at.world.clock.advance({ hours: 24 * 31 })
    await at.says('Who are you?', { waId: NUMBER, userId: LAST, name: 'Bea' })
    const contacts = await at.contacts()
    expect(contacts).toMatchObject([
      { id, user_id: PRESENT, phone_number: null },
      { user_id: LAST, phone_number: NUMBER, profile_name: 'Bea' },
    ])
  })

  test('who wrote under the new ID before the change was told: block and opt-out stay', async () => {
    await using at = await Acquaintance.create(HIDDEN)
    const before = await at.contact()
    const path = `/api/contacts/${before['id']}`
    await (await at.admin()).post(`${path}/consents`, { state: 'opted_out' })
    await (await at.admin()).post(`${path}/block`)
    await at.world.settle()
    const about = at.about()
    at.world.clock.advance({ minutes: 1 })
    await at.says('Already changed', { userId: PRESENT, name: 'Ana' })
    expect((await at.contacts()).length).toBe(2)
    await deliver(at.world, systemUserIdChanged(PRESENT, about))
    const after = await at.contact()
    expect(after).toMatchObject({
      id: before['id'],
      user_id: PRESENT,
      blocked: true,
      marketing_consent: 'opted_out',
    })
    expect(identitiesOf(after)).toEqual([`user_id ${FORMER}`, `user_id ${PRESENT}`])
    expect(at.conversations().length).toBe(2)
  })

  test.each([
    ['in the order they happened', [0, 1, 2]],
    ['the later change first', [1, 0, 2]],
    ['after the person wrote', [2, 0, 1]],
    ['backwards after the person wrote', [2, 1, 0]],
    ['with the first one repeated at last', [0, 1, 2, 0]],
  ])('through two changes told %s: the last ID counts', async (_, order) => {
    await using at = await Acquaintance.create(HIDDEN)
    const before = await at.contact()
    const start = secondsIn(at.world)
    const told: Webhook[] = [
      systemUserIdChanged(PRESENT, { ...at.about(), timestamp: start + 1 }),
      systemUserIdChanged(LAST, {
        ...at.about(at.first, { userId: PRESENT }),
        timestamp: start + 2,
      }),
      textTo(at.world, 'Me', { person: { userId: LAST, name: 'Ana' }, timestamp: start + 3 }),
    ]
    at.world.clock.advance({ seconds: 10 })
    for (const [nth, which] of order.entries())
      await deliver(at.world, { ...(told[which] as Webhook), nth } as Webhook)
    const after = await at.contact()
    expect(after).toMatchObject({ id: before['id'], user_id: LAST })
    expect(identitiesOf(after)).toEqual([FORMER, PRESENT, LAST].map((id) => `user_id ${id}`))
  })

  test.each([
    ['in the order they happened', [0, 1]],
    ['the later one first', [1, 0]],
  ])('of whom a change between two others was never told, here %s', async (_, order) => {
    await using at = await Acquaintance.create(VISIBLE)
    const start = secondsIn(at.world)
    const missed = { ...VISIBLE, userId: 'US.95000000000000000009' }
    const told: Webhook[] = [
      systemUserIdChanged(PRESENT, { ...at.about(), timestamp: start + 1 }),
      systemUserIdChanged(LAST, { ...at.about(at.first, missed), timestamp: start + 2 }, 'number'),
    ]
    at.world.clock.advance({ seconds: 10 })
    for (const which of order) await deliver(at.world, told[which] as Webhook)
    expect(await at.contact()).toMatchObject({ user_id: LAST })
  })

  test('who has later IDs since, known by the number: a late change does not bring former ones back', async () => {
    await using at = await Acquaintance.create(VISIBLE)
    const late = systemUserIdChanged(PRESENT, at.about())
    Object.assign(valueOf(late)['messages'][0]['system'], {
      previous_parent_user_id: 'US.ENT.1',
      parent_user_id: 'US.ENT.2',
    })
    at.world.clock.advance({ minutes: 1 })
    const text = textTo(at.world, 'With later IDs', { person: { ...VISIBLE, userId: LAST } })
    valueOf(text)['messages'][0]['from_parent_user_id'] = 'US.ENT.3'
    await deliver(at.world, text)
    await deliver(at.world, late)
    const after = await at.contact()
    expect(after).toMatchObject({
      user_id: LAST,
      parent_user_id: 'US.ENT.3',
      phone_number: NUMBER,
    })
    expect(identitiesOf(after)).toEqual(
      [
        ...['US.ENT.1', 'US.ENT.2', 'US.ENT.3'].map((id) => `parent_user_id ${id}`),
        `phone ${NUMBER}`,
        ...[FORMER, PRESENT, LAST].map((id) => `user_id ${id}`),
      ].toSorted(),
    )
  })

  test('whose change, messages and echoes have one ordering key', async () => {
    await using at = await Acquaintance.create(VISIBLE)
    const echo = standbyEcho('From another app', at.about())
    const [copy] = valueOf(echo)['standby']['message_echoes'] as Loose[]
    expect(copy?.['message']).toMatchObject({ to: NUMBER })
    Object.assign(copy?.['message'] as Loose, { to: `+${NUMBER}` })
    const hidden = { ...at.about(), person: HIDDEN }
    const delivery = combine(
      textMessage('As somebody hidden', hidden),
      systemUserIdChanged(PRESENT, hidden),
      textMessage('With a number', at.about()),
      echo,
    )
    expect((await at.world.simulator.post(delivery)).status).toBe(200)
    at.world.program.ingest.step()
    const [first, second, third, fourth, ...others] = at.world
      .rows<{ key: string | null }>(
        "select ordering_key as key from jobs where kind = 'inbound.process' and state <> 'completed' order by id",
      )
      .map(({ key }) => key)
    expect([first, third]).toEqual([expect.any(String), expect.any(String)])
    expect([second, fourth, ...others]).toEqual([first, third] as never)
    await at.world.settle()
  })

  test('before messages that wait behind it in a long delivery are stored', async () => {
    await using at = await Acquaintance.create(HIDDEN)
    const long = batch(100, { line: at.first, timestamp: secondsIn(at.world) })
    const messages = valueOf(long)['messages'] as Loose[]
    const change = systemUserIdChanged(PRESENT, { ...at.about(), timestamp: secondsIn(at.world) })
    messages[90] = (valueOf(change)['messages'] as Loose[])[0] as Loose
    const next = textTo(at.world, 'Right after', { person: { userId: PRESENT, name: 'Ana' } })
    for (const webhook of [long, next])
      expect((await at.world.simulator.post(webhook)).status).toBe(200)
    await at.world.settle()
    expect(at.world.rows('select * from contact_merges')).toEqual([])
    const [contact] = (await (await at.admin()).get('/api/contacts?search=Ana')).data[
      'items'
    ] as Loose[]
    expect(contact).toMatchObject({ user_id: PRESENT, last_message_preview: 'Right after' })
  })

  test.each([
    ['former', FORMER],
    ['new', PRESENT],
  ])(
    'unless the person was erased, known by the %s ID, who stays away until the person writes',
    async (_, userId) => {
      await using at = await Acquaintance.create({ userId, name: 'Ana' })
      at.world.stays('the journal of webhooks')
      const { id } = await at.contact()
      const erased = await (await at.admin()).post(`/api/contacts/${id}/erase`, { confirm: id })
      expect(erased.status).toBe(201)
      await at.world.settle()
      at.world.clock.advance({ minutes: 1 })
      await deliver(at.world, systemUserIdChanged(PRESENT, at.about(at.first, HIDDEN)))
      expect(await at.contacts()).toEqual([])
      expect(
        at.world.rows('select state, outcomes from inbound_events order by id desc limit 1'),
      ).toEqual([
        {
          state: 'done',
          outcomes: JSON.stringify([
            { kind: 'message', index: 0, outcome: 'no_effect', reason: 'erased' },
          ]),
        },
      ])
      await at.says('Here I am', { userId: PRESENT, name: 'Ana' })
      expect(await at.contact()).toMatchObject({ user_id: PRESENT })
    },
  )
})

describe('changes of user IDs that were stored as no_sender', () => {
  /** Stores a change as a version did that read no former ID: first without it, then as it came. */
  async function storedAsBroken(at: Acquaintance, webhook: Webhook): Promise<void> {
    const bare = structuredClone(webhook)
    for (const message of valueOf(bare)['messages'] as Loose[])
      if (message['system']) message['system'] = { type: 'user_changed_user_id' }
    await deliver(at.world, bare)
    const { sqlite } = at.world.program.http.db
    const [body] = at.world.rows<{ id: number }>('select max(id) as id from inbound_bodies')
    changeRows(sqlite, 'update inbound_bodies set body = ? where id = ?', [
      packBody(Buffer.from(JSON.stringify(webhook))),
      body?.id ?? 0,
    ])
    at.world.program.http.recentBodies.drop(body?.id ?? 0)
  }

  test('join the two contacts of the person when they are replayed', async () => {
    await using at = await Acquaintance.create(HIDDEN)
    const before = await at.contact()
    const path = `/api/contacts/${before['id']}`
    await (await at.admin()).post(`${path}/consents`, { state: 'opted_out' })
    const alone = systemUserIdChanged(PRESENT, at.about())
    await storedAsBroken(at, alone)
    at.world.clock.advance({ minutes: 1 })
    // In a delivery with something that could be read.
    const mixed = systemUserIdChanged(PRESENT, at.about(at.second))
    const text = textTo(at.world, 'Beside it', { person: NEIGHBOR, line: at.second })
    valueOf(mixed)['messages'].push(valueOf(text)['messages'][0])
    await storedAsBroken(at, mixed)
    at.world.clock.advance({ hours: 30 })
    await at.says('A stranger to you', { userId: PRESENT, name: 'Ana' })
    expect((await at.contacts()).length).toBe(2)
    const stored = (): unknown =>
      at.world.rows(
        "select state, last_error from inbound_events where state <> 'done' order by id",
      )
    expect(stored()).toEqual([
      { state: 'failed', last_error: 'no_sender' },
      { state: 'partial', last_error: 'no_sender' },
    ])
    const boss = await at.world.as('super')
    for (const state of ['failed', 'partial'])
      expect((await boss.post('/api/inbound/replay', { state, field: 'messages' })).data).toEqual({
        queued: 1,
      })
    await at.world.settle()
    expect(stored()).toEqual([])
    const after = await at.contact()
    expect(after).toMatchObject({
      id: before['id'],
      user_id: PRESENT,
      marketing_consent: 'opted_out',
      last_message_preview: 'A stranger to you',
    })
    expect(identitiesOf(after)).toEqual([`user_id ${FORMER}`, `user_id ${PRESENT}`])
    expect(at.conversations().length).toBe(2)
    const thread = (await (await at.admin()).get(`${path}/messages`)).data['items'] as Loose[]
    expect(thread.map(({ type }) => String(type))).toEqual([
      'text',
      'text',
      'system',
      'system',
      'text',
    ])
    expect(
      at.world.rows("select count(*) as n from messages where content like '%Beside it%'"),
    ).toEqual([{ n: 1 }])
    expect(
      at.world.rows(
        'select user_id from contacts where organization_id = ? order by id',
        at.world.other.id,
      ),
    ).toEqual([{ user_id: NEIGHBOR.userId }, { user_id: FORMER }])
  })
})
