import { describe, expect, test } from 'bun:test'

import type { Simulator } from '../../../../src/simulator/platform'
import type { Loose } from '../../../support/client'
import { deliver, statusTo, textTo, valueOf } from '../../../support/lines'
import { Outbox } from '../../../support/outbox'
import { changeRows } from '../../../support/sql'

/** Connects one more number of the first tenant. */
async function connect(outbox: Outbox, nth: number, businessId: string): Promise<string> {
  const { world } = outbox
  const phone = { id: `30100000000001${nth}`, token: `token-${nth}` }
  world.simulator.addPhone({
    ...phone,
    wabaId: businessId,
    displayPhoneNumber: `+1 555-010-002${nth}`,
    verifiedName: `Line ${nth}`,
  })
  const body = {
    name: `Line ${nth}`,
    phone_id: phone.id,
    business_id: businessId,
    access_token: phone.token,
  }
  return String((await (await world.as('admin')).post('/api/accounts', body)).data['id'])
}

const statusesOf = async (outbox: Outbox): Promise<unknown[]> =>
  ((await (await outbox.world.as('admin')).get('/api/accounts')).data['items'] as Loose[])
    .toSorted((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1))
    .map(({ status }) => status)

describe('a quota that is used up', () => {
  test.each<[string, (simulator: Simulator) => void, number]>([
    [
      'Retry-After',
      (simulator) => simulator.fail({ code: 80_007, retryAfter: 90 }, { times: 48 }),
      90,
    ],
    [
      'the usage header',
      (simulator) => simulator.fail({ code: 4, usageMinutes: 7 }, { times: 48 }),
      420,
    ],
    [
      'nothing, with a 429 that has no code',
      (simulator) => simulator.answerHtml(429, { times: 48 }),
      300,
    ],
  ])(
    'holds all messages of the number as long as the platform says by %s',
    async (_, fault, seconds) => {
      await using outbox = await Outbox.open({ tenants: 1 })
      const { world } = outbox
      const contacts = await outbox.contacts(60)
      const socket = await world.socket('admin')
      fault(world.simulator)
      const ids: string[] = []
      for (const contact of contacts) ids.push(await outbox.send(contact, 'Hi'))
      await world.settle()
      // Only what was under way together was refused; the rest was not even tried, and is shown as
      // held.
      expect(outbox.calls()).toBe(48)
      expect(await outbox.stats()).toMatchObject({ paused: true, held: 60, queued: 0 })
      const late = await outbox.send(contacts[0] ?? {}, 'Late')
      world.clock.advance({ ms: seconds * 1_000 - 1 })
      await world.settle()
      expect(outbox.calls()).toBe(48)
      world.clock.advance({ ms: 1 })
      await world.settle()
      for (const id of [...ids, late]) expect((await outbox.read(id))['status']).toBe('delivered')
      expect(outbox.texts(contacts[0])).toEqual(['Hi', 'Late'])
      await socket.caughtUp()
      expect(
        socket.events('account:updated').map(({ payload }) => payload['changed'] as string[]),
      ).toEqual([['paused_until', 'last_error']])
      expect(await outbox.told()).toEqual([])
    },
  )

  test.each([80_007, 131_056, 130_429])(
    'for a fraction of a minute (%p) is waited out, and nothing else waits with it',
    async (code) => {
      await using outbox = await Outbox.open({ tenants: 1 })
      const { world } = outbox
      const [contact = {}] = await outbox.contacts(1)
      world.simulator.fail({ code, usageMinutes: 0.1234567 })
      const id = await outbox.send(contact, 'Hi')
      await world.settle()
      await deliver(world, textTo(world, 'Is anybody there?'))
      expect(
        world.rows("select state from jobs where kind = 'message.send' and state = 'executing'"),
      ).toEqual([])
      world.clock.advance({ ms: 7_408 })
      await world.settle()
      world.clock.advance({ seconds: 1 })
      await world.settle()
      expect((await outbox.read(id))['status']).toBe('delivered')
      expect(outbox.texts(contact)).toEqual(['Hi'])
    },
  )

  test('is extended by a later answer that asks for more, and not cut by one that asks for less', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const contacts = await outbox.contacts(3)
    for (const [nth, retryAfter] of [60, 300, 90].entries())
      world.simulator.fail(
        { code: 80_007, retryAfter },
        { recipient: String(contacts[nth]?.['wa_id']) },
      )
    for (const contact of contacts) await outbox.send(contact, 'Hi')
    await world.settle()
    expect(outbox.calls()).toBe(3)
    const until = Date.parse(String((await outbox.account())['paused_until']))
    expect(until - world.clock.nowMs()).toBe(300_000)
    world.clock.advance({ seconds: 299 })
    await world.settle()
    expect(outbox.texts()).toEqual([])
    world.clock.advance({ seconds: 1 })
    await world.settle()
    expect(outbox.texts()).toEqual(['Hi', 'Hi', 'Hi'])
  })

  test('pauses the number longer each time, and starts over after a success', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact] = await outbox.contacts(1)
    world.simulator.fail({ code: 613 }, { times: 6 })
    await outbox.send(contact ?? {}, 'Hi')
    const pauses: number[] = []
    for (let nth = 0; nth < 6; nth += 1) {
      await world.settle()
      const until = Date.parse(String((await outbox.account())['paused_until']))
      pauses.push((until - world.clock.nowMs()) / 60_000)
      world.clock.advance({ ms: until - world.clock.nowMs() })
    }
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60])
    await world.settle()
    expect(outbox.texts()).toEqual(['Hi'])
    world.simulator.fail({ code: 613 })
    await outbox.send(contact ?? {}, 'Again')
    await world.settle()
    expect(Date.parse(String((await outbox.account())['paused_until'])) - world.clock.nowMs()).toBe(
      300_000,
    )
  })

  test.each([132_015, 132_069])('of a template (%p) holds only its own message', async (code) => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact, other] = await outbox.contacts(2)
    world.simulator.fail({ code }, { recipient: String(contact?.['wa_id']) })
    const id = await outbox.send(contact ?? {}, 'With it')
    await outbox.send(other ?? {}, 'Without it')
    await world.settle()
    expect(outbox.texts()).toEqual(['Without it'])
    expect(await outbox.stats()).toMatchObject({ paused: false, held: 1 })
    world.clock.advance({ minutes: 5 })
    await world.settle()
    expect((await outbox.read(id))['status']).toBe('delivered')
  })
})

describe('a revoked token', () => {
  test('causes one pause and one notification for 120 messages, which are sent in order with a new token', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const contacts = await outbox.contacts(60)
    world.program.http.db.sqlite.run(`update accounts set throughput_level = 'HIGH'`)
    const socket = await world.socket('admin')
    world.simulator.addPhone({ id: world.tenant.phoneId, token: 'another-token' })
    for (let nth = 0; nth < 120; nth += 1)
      await outbox.send(contacts[nth % 60] ?? {}, `Text ${Math.floor(nth / 60)}`)
    await world.settle()
    expect(await outbox.account()).toMatchObject({
      status: 'disconnected',
      last_error: { code: 'credential_rejected' },
    })
    expect(outbox.calls()).toBeLessThanOrEqual(64)
    expect(await outbox.told()).toEqual(['token_invalid'])
    expect(await outbox.stats()).toMatchObject({
      paused: true,
      held: 120,
      queued: 0,
      retry_wait: 0,
    })
    const [counted] = world.rows<{ count: number }>(
      `select json_extract(last_error, '$.count') as count from accounts`,
    )
    expect(counted?.count).toBe(outbox.calls())
    await socket.caughtUp()
    expect(socket.events('account:updated').map(({ payload }) => payload['status'])).toEqual([
      'disconnected',
    ])
    expect(socket.events('notification:new').length).toBe(1)

    await (
      await world.as('admin')
    ).put(`/api/accounts/${world.tenant.accountId}`, { access_token: 'another-token' })
    await world.settle()
    await outbox.pass({ seconds: 6 })
    expect(outbox.texts().length).toBe(120)
    for (const contact of contacts) expect(outbox.texts(contact)).toEqual(['Text 0', 'Text 1'])
    expect(world.rows(`select id from messages where warnings is not null`)).toEqual([])
  })

  test('is a new incident after a token was replaced', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact] = await outbox.contacts(1)
    for (const token of ['second', 'third']) {
      world.simulator.addPhone({ id: world.tenant.phoneId, token })
      await outbox.send(contact ?? {}, 'Hi')
      await world.settle()
      await (
        await world.as('admin')
      ).put(`/api/accounts/${world.tenant.accountId}`, { access_token: token })
      await world.settle()
    }
    expect(await outbox.told()).toEqual(['token_invalid', 'token_invalid'])
    expect(outbox.texts()).toEqual(['Hi', 'Hi'])
  })

  test('pauses nothing if it was replaced during the call', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact] = await outbox.contacts(1)
    const replaced = Promise.withResolvers<void>()
    world.simulator.slow(replaced.promise, { route: 'messages' })
    world.simulator.fail({ code: 190 }, { route: 'messages' })
    const id = await outbox.send(contact ?? {}, 'Hi')
    const settled = world.settle()
    await world.simulator.waitForCalls(1, { route: 'messages' })
    const admin = await world.as('admin')
    await admin.put(`/api/accounts/${world.tenant.accountId}`, { access_token: world.tenant.token })
    replaced.resolve()
    await settled
    await world.settle()
    expect((await outbox.account())['status']).toBe('active')
    expect((await outbox.read(id))['status']).toBe('delivered')
    expect(await outbox.told()).toEqual([])
  })
})

describe('a blocked phone number', () => {
  test.each<[code: number, all: boolean]>([
    [368, true],
    [131_031, false],
    [131_044, false],
    [133_010, false],
  ])(
    'by code %p concerns every number of its business account: %p; nobody else’s',
    async (code, all) => {
      await using outbox = await Outbox.open()
      const { world } = outbox
      await connect(outbox, 1, world.tenant.wabaId)
      await connect(outbox, 2, '209000000000009')
      // Another organization may have numbers of the same business account: its own calls tell what
      // is wrong with them.
      changeRows(
        world.program.http.db.sqlite,
        'update accounts set business_id = ? where organization_id = ?',
        [world.tenant.wabaId, world.other.id],
      )
      const [contact] = await outbox.contacts(1)
      world.simulator.fail({ code })
      const id = await outbox.send(contact ?? {}, 'Hi', world.tenant, {
        account_id: world.tenant.accountId,
      })
      await world.settle()
      // Acme main, Line 1, Line 2
      expect(await statusesOf(outbox)).toEqual([
        'suspended',
        all ? 'suspended' : 'active',
        'active',
      ])
      expect((await outbox.account(world.other))['status']).toBe('active')
      expect(await outbox.told()).toEqual(['account_suspended'])
      expect((await outbox.read(id))['status']).toBe('pending')
    },
  )

  test('notifies account managers of a pause (131048)', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const [contact] = await outbox.contacts(1)
    outbox.world.simulator.fail({ code: 131_048 })
    await outbox.send(contact ?? {}, 'Hi')
    await outbox.world.settle()
    expect(await outbox.told()).toEqual(['account_paused'])
    expect((await outbox.account())['status']).toBe('active')
  })

  test('fails all its waiting messages at once when it is deleted', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const contacts = await outbox.contacts(3)
    world.simulator.fail({ code: 131_016 }, { recipient: String(contacts[0]?.['wa_id']) })
    world.simulator.answerHtml(502, { recipient: String(contacts[1]?.['wa_id']) })
    const [retried, ambiguous] = [
      await outbox.send(contacts[0] ?? {}, 'Tried again'),
      await outbox.send(contacts[1] ?? {}, 'Who knows'),
    ]
    await world.settle()
    world.program.http.db.sqlite.run(`update accounts set status = 'disconnected'`)
    const held: string[] = []
    for (let nth = 0; nth < 250; nth += 1)
      held.push(await outbox.send(contacts[2] ?? {}, `Held ${nth}`))
    await (await world.as('admin')).delete(`/api/accounts/${world.tenant.accountId}`)
    await world.settle()
    for (const id of [retried, held[0] ?? '', held.at(-1) ?? ''])
      expect(await outbox.read(id)).toMatchObject({
        status: 'failed',
        error: { code: 'account_deleted' },
      })
    const waiting = world.rows<{ id: string }>(
      `select id from messages where direction = 'outgoing' and status = 'pending'`,
    )
    expect(waiting.map(({ id }) => id)).toEqual([ambiguous])
  })
})

describe('a status that says “failed”', () => {
  /** A text that the platform took and later reports on. */
  async function withSent() {
    const outbox = await Outbox.open({ tenants: 1 })
    const [contact] = await outbox.contacts(1)
    outbox.world.simulator.swallowStatuses()
    const id = await outbox.send(contact ?? {}, 'Hi')
    await outbox.world.settle()
    const wamid = String((await outbox.read(id))['wa_message_id'])
    const person = { waId: String(contact?.['wa_id']), userId: String(contact?.['user_id']) }
    const failed = (code: number, at?: number) =>
      deliver(
        outbox.world,
        statusTo(outbox.world, wamid, 'failed', {
          person,
          facts: { error: { code, title: 'No', details: 'No' } },
          ...(at === undefined ? {} : { timestamp: at }),
        }),
      )
    const read = async (): Promise<Loose> =>
      outbox.world.rows(
        'select marketing_consent, undeliverable_since_ms from contacts where id = ?',
        String(contact?.['id']),
      )[0] as Loose
    return {
      outbox,
      contact: contact ?? {},
      id,
      wamid,
      person,
      failed,
      read,
      [Symbol.asyncDispose]: () => outbox.world.stop(),
    }
  }

  test('records a marketing opt-out (131050) once', async () => {
    await using at = await withSent()
    await at.failed(131_050)
    await at.failed(131_050)
    expect((await at.read())['marketing_consent']).toBe('opted_out')
    expect(at.outbox.world.rows('select state, source, message_id from contact_consents')).toEqual([
      { state: 'opted_out', source: 'platform', message_id: at.id },
    ])
  })

  test('marks the contact as unreachable (131026) until it is reached or writes', async () => {
    await using at = await withSent()
    const { world } = at.outbox
    world.clock.advance({ minutes: 1 })
    await at.failed(131_026)
    expect((await at.read())['undeliverable_since_ms']).toBe(world.clock.nowMs())
    expect(await at.outbox.read(at.id)).toMatchObject({
      status: 'failed',
      error: { code: 'recipient_unreachable', platform_code: 131_026 },
    })
    world.clock.advance({ minutes: 1 })
    await deliver(world, statusTo(world, at.wamid, 'delivered', { person: at.person }))
    expect((await at.read())['undeliverable_since_ms']).toBeNull()

    world.clock.advance({ minutes: 1 })
    world.simulator.fail({ code: 131_026 })
    await at.outbox.send(at.contact, 'Again')
    await world.settle()
    expect((await at.read())['undeliverable_since_ms']).toBe(world.clock.nowMs())
    world.clock.advance({ minutes: 1 })
    await deliver(world, textTo(world, 'Here I am', { person: at.person }))
    expect((await at.read())['undeliverable_since_ms']).toBeNull()
  })

  test('is ignored if the contact wrote later', async () => {
    await using at = await withSent()
    const { world } = at.outbox
    const then = Math.floor(world.clock.nowMs() / 1_000)
    world.clock.advance({ minutes: 5 })
    await deliver(world, textTo(world, 'Here I am', { person: at.person }))
    await at.failed(131_026, then)
    expect((await at.read())['undeliverable_since_ms']).toBeNull()
  })

  test.each<[code: number, status: string]>([
    [190, 'disconnected'],
    [131_005, 'disconnected'],
    [131_044, 'suspended'],
    [131_042, 'active'],
    [131_049, 'active'],
    [131_000, 'active'],
  ])('with code %p leaves the number %s', async (code, status) => {
    await using at = await withSent()
    await at.failed(code)
    expect((await at.outbox.account())['status']).toBe(status)
    // A missing payment method leaves the number active and is told of all the same.
    expect((await at.outbox.told()).length).toBe(status === 'active' && code !== 131_042 ? 0 : 1)
  })

  test('about the token does not disconnect the number if it is old', async () => {
    await using at = await withSent()
    const then = Math.floor(at.outbox.world.clock.nowMs() / 1_000)
    at.outbox.world.clock.advance({ hours: 2 })
    await at.failed(190, then)
    expect((await at.outbox.account())['status']).toBe('active')
  })

  test('because of the marketing cap sets retry_after', async () => {
    await using at = await withSent()
    await at.failed(131_049)
    expect((await at.outbox.read(at.id))['error']).toMatchObject({
      code: 'marketing_limited',
      retryable: true,
      retry_after: new Date(at.outbox.world.clock.nowMs() + 86_400_000).toISOString(),
    })
  })

  test('never requeues the message', async () => {
    await using at = await withSent()
    await at.failed(131_016)
    at.outbox.world.clock.advance({ hours: 1 })
    await at.outbox.world.settle()
    expect([at.outbox.calls(), (await at.outbox.read(at.id))['status']]).toEqual([1, 'failed'])
  })
})

describe('the recipient of a status', () => {
  test.each<[what: string, number: string, told: Loose, learned: boolean, warned: boolean]>([
    [
      'another spelling of the number',
      '5511987654321',
      { recipient_id: '551187654321' },
      true,
      false,
    ],
    ['a strange number', '5511987654321', { recipient_id: '15550999999' }, false, true],
    ['the number itself', '5511987654321', { recipient_id: '5511987654321' }, false, false],
    [
      'a strange user id',
      '5511987654321',
      { recipient_id: undefined, recipient_user_id: 'US.90000000000000000000' },
      false,
      true,
    ],
  ])('%s', async (_, number, told, learned, warned) => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const contact = await world.contactOf(world.tenant, 'Hi', number)
    world.simulator.swallowStatuses()
    const id = await outbox.send(contact, 'Hi')
    await world.settle()
    const webhook = statusTo(world, String((await outbox.read(id))['wa_message_id']), 'sent', {
      person: { waId: number },
    })
    const [status] = valueOf(webhook)['statuses'] as Loose[]
    Object.assign(status ?? {}, told)
    delete status?.['recipient_participant_id']
    await deliver(world, webhook)
    const numbers = world.rows<{ value: string }>(
      `select value from contact_identities where kind = 'phone' order by value`,
    )
    expect(numbers.map(({ value }) => value)).toEqual(
      learned ? ['551187654321', '5511987654321'] : ['5511987654321'],
    )
    expect((await outbox.read(id))['warnings']).toEqual(warned ? ['recipient_differs'] : [])
  })
})

test('every final failure has a message, and updates consent and reachability like a status', async () => {
  await using outbox = await Outbox.open({ tenants: 1 })
  const { world } = outbox
  const contacts = await outbox.contacts(2)
  world.simulator.fail({ code: 131_050 }, { recipient: String(contacts[0]?.['wa_id']) })
  world.simulator.fail({ code: 130_472 }, { recipient: String(contacts[1]?.['wa_id']) })
  const [out, capped] = [
    await outbox.send(contacts[0] ?? {}, 'Hi'),
    await outbox.send(contacts[1] ?? {}, 'Hi'),
  ]
  await world.settle()
  expect(await outbox.read(out)).toMatchObject({ error: { code: 'opted_out', retryable: false } })
  expect((await outbox.read(capped))['error']).toMatchObject({
    code: 'marketing_limited',
    retryable: true,
    retry_after: expect.any(String),
  })
  expect(
    world.rows('select marketing_consent as consent from contacts order by wa_id limit 2'),
  ).toEqual(
    (['opted_out', 'unknown'] as const).map((state) => ({
      consent: state,
    })),
  )
})

test('an unknown platform error is logged with its trace ID and without message content', async () => {
  await using outbox = await Outbox.open({ tenants: 1 })
  const [contact] = await outbox.contacts(1)
  outbox.world.simulator.fail({ code: 424_242 })
  const id = await outbox.send(contact ?? {}, 'A secret text')
  await outbox.world.settle()
  const line =
    outbox.world.logLines.find((text) => text.includes('with an unknown error code')) ?? '{}'
  expect(JSON.parse(line)).toMatchObject({
    message_id: id,
    platform_code: 424_242,
    trace_id: expect.any(String),
  })
  expect(line).not.toContain('A secret text')
})
