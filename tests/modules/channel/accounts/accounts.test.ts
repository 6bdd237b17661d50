import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { deliver, lineOf, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

const UNKNOWN = '01900000-0000-7000-8000-ffffffffffff'

/** What is sent to connect a tenant's number. */
const numberOf = (world: World, more: Loose = {}): Loose => ({
  name: 'Support',
  phone_id: world.tenant.phoneId,
  business_id: world.tenant.wabaId,
  access_token: world.tenant.token,
  ...more,
})

/** A second number of the first tenant at the platform. */
function secondPhone(world: World): Loose {
  world.simulator.addPhone({
    id: '301000000000009',
    wabaId: world.tenant.wabaId,
    token: world.tenant.token,
    displayPhoneNumber: '+1 555-010-0009',
  })
  return numberOf(world, { name: 'Second', phone_id: '301000000000009' })
}

describe('connecting a number', () => {
  test('asks the platform, stores its facts and makes the first number the default', async () => {
    await using world = await World.create({ isConnected: false })
    const socket = await world.socket('manager')
    const manager = await world.as('manager')
    const answer = await manager.post(
      '/api/accounts',
      numberOf(world, {
        app_id: '123',
        app_secret: 'the-app-secret',
        pin: '123456',
        webhook_verify_token: 'a-verify-token',
      }),
    )
    expect(answer).toMatchObject({
      status: 201,
      data: {
        name: 'Support',
        phone_id: world.tenant.phoneId,
        business_id: world.tenant.wabaId,
        app_id: '123',
        phone_number: '15550100001',
        display_phone_number: '+1 555-010-0001',
        verified_name: 'Acme',
        status: 'active',
        quality_rating: 'GREEN',
        portfolio_id: '501000000000001',
        messaging_limit_tier: 'TIER_2K',
        throughput_level: 'STANDARD',
        throughput_limit: 80,
        is_test_number: false,
        subscribed: false,
        subscribed_at: null,
        token_expires_at: null,
        last_checked_at: '2026-11-21T09:30:00.000Z',
        last_inbound_at: null,
        paused_until: null,
        is_default_incoming: false,
        is_default_outgoing: true,
        auto_read_receipt: false,
        marketing_path: { status: 'eligible', policy: 'fallback' },
        has_access_token: true,
        has_app_secret: true,
        has_webhook_verify_token: true,
        has_pin: true,
        has_flow_key: false,
        last_error: null,
        created_by: world.tenant.userIds.manager,
      },
    })
    expect(answer.data['api_version']).toMatch(/^v\d+\.\d+$/)
    expect((await manager.get(`/api/accounts/${answer.data['id']}`)).data).toEqual(answer.data)
    const list = (await manager.get('/api/accounts')).data
    expect(list).toMatchObject({
      total: 1,
      page: 1,
      limit: 50,
      items: [answer.data],
      accounts: [answer.data],
    })
    await world.settle()
    await socket.caughtUp()
    expect(socket.events('account:updated')).toMatchObject([
      { payload: { id: answer.data['id'], status: 'active' } },
    ])
  })

  test.each([
    ['phone_number_id', 'waba_id'],
    ['phone_id', 'waba_id'],
    ['phone_number_id', 'business_id'],
  ])('accepts the IDs as %s and %s', async (phone, business) => {
    await using world = await World.create({ isConnected: false })
    const body = {
      name: 'Support',
      access_token: world.tenant.token,
      [phone]: world.tenant.phoneId,
      [business]: world.tenant.wabaId,
    }
    const answer = await (await world.as('admin')).post('/api/accounts', body)
    expect(answer).toMatchObject({
      status: 201,
      data: { phone_id: world.tenant.phoneId, business_id: world.tenant.wabaId },
    })
  })

  test.each<[string, Loose, string]>([
    ['no name', { name: undefined }, 'body.name'],
    ['a blank name', { name: '   ' }, 'body.name'],
    ['a name of 101 characters', { name: 'n'.repeat(101) }, 'body.name'],
    ['no phone id', { phone_id: undefined }, 'body.phone_id'],
    ['a phone id that is no number', { phone_id: '../me' }, 'body.phone_id'],
    ['two phone ids that differ', { phone_number_id: '1' }, 'body.phone_id'],
    ['no business id', { business_id: undefined }, 'body.business_id'],
    ['no token', { access_token: undefined }, 'body.access_token'],
    ['an empty token', { access_token: '' }, 'body.access_token'],
    ['a short verify token', { webhook_verify_token: 'short' }, 'body.webhook_verify_token'],
    ['a pin of five digits', { pin: '12345' }, 'body.pin'],
    ['an odd version', { api_version: '24' }, 'body.api_version'],
  ])('with %s is 400 that names the field, and stores nothing', async (_, fields, path) => {
    await using world = await World.create({ isConnected: false })
    const admin = await world.as('admin')
    const answer = await admin.post('/api/accounts', numberOf(world, fields))
    expect(answer.status).toBe(400)
    expect(answer.body.errors?.map((problem) => problem.path)).toContain(path)
    expect((await admin.get('/api/accounts')).data['total']).toBe(0)
  })

  test('with a token that cannot read the number is 400 platform_rejected and stores nothing', async () => {
    await using world = await World.create({ isConnected: false })
    const admin = await world.as('admin')
    for (const fields of [
      { access_token: 'wrong-token' },
      { phone_id: '999' },
      { access_token: 'with a space and ümlaut' },
    ]) {
      const answer = await admin.post('/api/accounts', numberOf(world, fields))
      expect(answer).toMatchObject({ status: 400, body: { code: 'platform_rejected' } })
      expect(JSON.stringify(answer.body)).not.toContain('wrong-token')
    }
    expect((await admin.get('/api/accounts')).data['total']).toBe(0)
  })

  test.each<[string, (world: World) => unknown]>([
    ['does not answer', (world) => world.simulator.stop()],
    ['answers with an error page', (world) => world.simulator.answerHtml(502, { route: 'phone' })],
    ['asks us to slow down', (world) => world.simulator.fail({ code: 4 }, { route: 'phone' })],
  ])(
    'when the platform %s is 503 platform_unreachable; without verifying it is stored as pending',
    async (_, trouble) => {
      await using world = await World.create({ isConnected: false })
      const admin = await world.as('admin')
      await trouble(world)
      const refused = await admin.post('/api/accounts', numberOf(world))
      expect(refused).toMatchObject({ status: 503, body: { code: 'platform_unreachable' } })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await admin.get('/api/accounts')).data['total']).toBe(0)
      const stored = await admin.post('/api/accounts', numberOf(world, { verify: false }))
      expect(stored).toMatchObject({
        status: 201,
        data: { status: 'pending', display_phone_number: null, quality_rating: 'UNKNOWN' },
      })
    },
  )

  test('without verification makes no call', async () => {
    await using world = await World.create({ isConnected: false })
    await (
      await world.as('admin')
    ).post('/api/accounts', numberOf(world, { verify: false, access_token: 'wrong-token' }))
    expect(world.simulator.calls).toEqual([])
  })

  test('creates a verify token if none is given', async () => {
    await using world = await World.create({ isConnected: false })
    expect(
      (await (await world.as('admin')).post('/api/accounts', numberOf(world))).data[
        'has_webhook_verify_token'
      ],
    ).toBe(true)
  })

  test('that another organization has is 409 phone_id_in_use without naming it', async () => {
    await using world = await World.create()
    const bolt = await world.as('admin', world.other)
    const answer = await bolt.post('/api/accounts', numberOf(world, { verify: false }))
    expect(answer).toMatchObject({ status: 409, body: { code: 'phone_id_in_use' } })
    expect(JSON.stringify([answer.body, answer.body.details ?? null])).not.toContain('Acme')
    expect(JSON.stringify(answer.body)).not.toContain(world.tenant.id)
    expect(
      await bolt.put(`/api/accounts/${world.other.accountId}`, {
        phone_id: world.tenant.phoneId,
        verify: false,
      }),
    ).toMatchObject({
      status: 409,
      body: { code: 'phone_id_in_use' },
    })
  })

  test('under an existing name is 409 name_taken; names of other organizations are free', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    expect(
      await admin.post('/api/accounts', { ...secondPhone(world), name: ' Acme main ' }),
    ).toMatchObject({
      status: 409,
      body: { code: 'name_taken' },
    })
    expect(
      (await admin.post('/api/accounts', { ...secondPhone(world), name: 'Bolt main' })).status,
    ).toBe(201)
  })

  test('shows an existing subscription and a token that expires', async () => {
    await using world = await World.create({ isConnected: false })
    const admin = await world.as('admin')
    const endS = Math.floor(world.clock.nowMs() / 1_000) + 86_400
    world.simulator.addPhone({ id: world.tenant.phoneId, tokenExpiresAt: endS })
    const first = (await admin.post('/api/accounts', numberOf(world))).data
    await admin.post(`/api/accounts/${first['id']}/subscribe`)
    const second = await admin.post('/api/accounts', secondPhone(world))
    expect(second.data).toMatchObject({
      subscribed: true,
      subscribed_at: '2026-11-21T09:30:00.000Z',
      app_id: '601000000000001',
    })
    expect(first).toMatchObject({ token_expires_at: new Date(endS * 1_000).toISOString() })
  })

  test('works if the platform answers only for the number itself', async () => {
    await using world = await World.create({ isConnected: false })
    for (const route of ['debug_token', 'subscribed_apps', 'waba'] as const)
      world.simulator.fail({ code: 10 }, { route, times: Infinity })
    expect(await (await world.as('admin')).post('/api/accounts', numberOf(world))).toMatchObject({
      status: 201,
      data: { status: 'active' },
    })
  })

  test('by two people at once succeeds for one', async () => {
    await using world = await World.create({ isConnected: false })
    const clients = await Promise.all(world.tenants.map((tenant) => world.as('admin', tenant)))
    const answers = await Promise.all(
      clients.map((client) => client.post('/api/accounts', numberOf(world))),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  })

  test.each([
    ['agent', 403],
    ['manager', 201],
  ] as const)('by a %s is %p', async (person, status) => {
    await using world = await World.create({ isConnected: false })
    expect((await (await world.as(person)).post('/api/accounts', numberOf(world))).status).toBe(
      status,
    )
  })
})

describe('secrets of a number', () => {
  const SECRETS = {
    access_token: 'token-of-acme',
    app_secret: 'zz-app-secret-zz',
    webhook_verify_token: 'zz-verify-token-zz',
    pin: '918273',
  }

  test('appear in no response, frame, log line or plain database value', async () => {
    await using world = await World.create({ isConnected: false })
    const socket = await world.socket('admin')
    const admin = await world.as('admin')
    const created = await admin.post('/api/accounts', numberOf(world, SECRETS))
    const id = created.data['id'] as string
    const changed = await admin.put(`/api/accounts/${id}`, { ...SECRETS, name: 'Renamed' })
    expect(changed.status).toBe(200)
    world.simulator.fail(
      { code: 190, message: 'Malformed access token token-of-acme' },
      { route: 'phone' },
    )
    const refused = await admin.put(`/api/accounts/${id}`, { access_token: 'token-of-acme' })
    expect(refused.body.code).toBe('platform_rejected')
    await deliver(world, textTo(world, 'Hi'))
    const told = JSON.stringify([
      created.body,
      changed.body,
      refused.body,
      (await admin.get('/api/accounts')).body,
      (await admin.get(`/api/accounts/${id}`)).body,
      await socket.caughtUp(),
      world.logLines,
    ])
    const stored = Buffer.from(world.program.http.db.sqlite.serialize()).toString('latin1')
    for (const secret of Object.values(SECRETS)) {
      expect(told).not.toContain(secret)
      expect(stored).not.toContain(secret)
    }
    const [row] = world.rows<Loose>(
      'select access_token_sealed, app_secret_sealed, verify_token_sealed, pin_sealed from accounts',
    )
    for (const sealed of Object.values(row ?? {})) expect(String(sealed).split('.').length).toBe(4)
  })

  test('stay if omitted and are cleared by null; the token cannot be cleared', async () => {
    await using world = await World.create({ isConnected: false })
    const admin = await world.as('admin')
    const id = (await admin.post('/api/accounts', numberOf(world, SECRETS))).data['id'] as string
    const path = `/api/accounts/${id}`
    expect((await admin.put(path, { name: 'Other' })).data).toMatchObject({
      has_app_secret: true,
      has_webhook_verify_token: true,
      has_pin: true,
      has_access_token: true,
    })
    expect(
      (await admin.put(path, { app_secret: null, webhook_verify_token: null, pin: null })).data,
    ).toMatchObject({
      has_app_secret: false,
      has_webhook_verify_token: false,
      has_pin: false,
      has_access_token: true,
    })
    expect((await admin.put(path, { access_token: null })).status).toBe(400)
  })

  test('are deleted when the number is disconnected', async () => {
    await using world = await World.create({ isConnected: false })
    const admin = await world.as('admin')
    const id = (await admin.post('/api/accounts', numberOf(world, SECRETS))).data['id'] as string
    await admin.delete(`/api/accounts/${id}`)
    expect(
      world.rows(
        'select access_token_sealed, app_secret_sealed, verify_token_sealed, verify_token_hash, pin_sealed from accounts',
      ),
    ).toEqual([
      {
        access_token_sealed: null,
        app_secret_sealed: null,
        verify_token_sealed: null,
        verify_token_hash: null,
        pin_sealed: null,
      },
    ])
  })
})

describe('updating a number', () => {
  test('changes only the given fields and is published to sockets', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const path = `/api/accounts/${world.tenant.accountId}`
    const before = (await admin.get(path)).data
    const socket = await world.socket('agent')
    world.clock.advance({ seconds: 1 })
    const { data } = await admin.put(path, {
      name: '  Sales ',
      auto_read_receipt: true,
      id: UNKNOWN,
      status: 'suspended',
    })
    expect(data).toEqual({
      ...before,
      name: 'Sales',
      auto_read_receipt: true,
      updated_at: '2026-11-21T09:30:01.000Z',
    })
    await world.settle()
    await socket.caughtUp()
    expect(socket.events('account:updated')).toMatchObject([
      { payload: { name: 'Sales', changed: ['name', 'auto_read_receipt'] } },
    ])
    expect((await admin.put(path, {})).status).toBe(400)
    expect((await admin.put(path, { name: 'Sales' })).status).toBe(200)
  })

  test('accepts the aliases of the IDs too', async () => {
    await using world = await World.create()
    const { phone_id } = secondPhone(world)
    world.simulator.addPhone({ id: String(phone_id), wabaId: '209' })
    const admin = await world.as('admin')
    const { data } = await admin.put(`/api/accounts/${world.tenant.accountId}`, {
      phone_number_id: phone_id,
      waba_id: '209',
    })
    expect(data).toMatchObject({
      phone_id,
      business_id: '209',
      display_phone_number: '+1 555-010-0009',
    })
  })

  test('with a token the platform rejects changes nothing', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const path = `/api/accounts/${world.tenant.accountId}`
    const before = (await admin.get(path)).data
    expect(await admin.put(path, { access_token: 'wrong', name: 'Renamed' })).toMatchObject({
      status: 400,
      body: { code: 'platform_rejected' },
    })
    expect((await admin.get(path)).data).toEqual(before)
  })

  test('to another phone number ID without verification resets the former facts', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const path = `/api/accounts/${world.tenant.accountId}`
    await admin.post(`${path}/subscribe`)
    const { data } = await admin.put(path, {
      phone_id: secondPhone(world)['phone_id'],
      verify: false,
    })
    expect(data).toMatchObject({
      status: 'pending',
      display_phone_number: null,
      phone_number: null,
      verified_name: null,
      quality_rating: 'UNKNOWN',
      messaging_limit_tier: null,
      subscribed: false,
    })
  })

  test('to another phone number ID routes deliveries at once', async () => {
    await using world = await World.create()
    const { phone_id } = secondPhone(world)
    const admin = await world.as('admin')
    await admin.put(`/api/accounts/${world.tenant.accountId}`, { phone_id })
    await deliver(
      world,
      textTo(world, 'To the new one', {
        line: { ...lineOf(world.tenant), phoneNumberId: String(phone_id) },
      }),
    )
    await deliver(world, textTo(world, 'To the old one'))
    expect(world.rows('select content from messages')).toEqual([
      { content: '{"text":"To the new one"}' },
    ])
  })

  test('moves the default, of which each kind has at most one; an omitted flag changes none', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const second = (await admin.post('/api/accounts', secondPhone(world))).data['id'] as string
    const flags = async (): Promise<unknown[]> =>
      ((await admin.get('/api/accounts')).data['items'] as Loose[]).map((item) => [
        item['name'],
        item['is_default_incoming'],
        item['is_default_outgoing'],
      ])
    expect(await flags()).toEqual([
      ['Acme main', false, true],
      ['Second', false, false],
    ])
    await admin.put(`/api/accounts/${second}`, {
      is_default_outgoing: true,
      is_default_incoming: true,
    })
    await admin.put(`/api/accounts/${world.tenant.accountId}`, { name: 'First' })
    expect(await flags()).toEqual([
      ['First', false, false],
      ['Second', true, true],
    ])
    await admin.put(`/api/accounts/${world.tenant.accountId}`, { is_default_incoming: true })
    expect(await flags()).toEqual([
      ['First', true, false],
      ['Second', false, true],
    ])
  })

  test.each(['get', 'put', 'delete'] as const)(
    '%s of an unknown number is 404, of a malformed ID 400',
    async (method) => {
      await using world = await World.create({ isConnected: false })
      const admin = await world.as('admin')
      const call = (id: string) =>
        method === 'put'
          ? admin.put(`/api/accounts/${id}`, { name: 'x' })
          : admin[method](`/api/accounts/${id}`)
      expect([(await call(UNKNOWN)).status, (await call('odd')).status]).toEqual([404, 400])
    },
  )

  test('and reading numbers require permissions', async () => {
    await using world = await World.create()
    const agent = await world.as('agent')
    const path = `/api/accounts/${world.tenant.accountId}`
    expect([(await agent.get('/api/accounts')).status, (await agent.get(path)).status]).toEqual([
      200, 200,
    ])
    expect([
      (await agent.put(path, { name: 'x' })).status,
      (await agent.delete(path)).status,
    ]).toEqual([403, 403])
    expect((await world.anyone.get('/api/accounts')).status).toBe(401)
  })
})

describe('the list of numbers', () => {
  test('is sorted by name and filtered by part of the name or number, and by status', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    await admin.post('/api/accounts', {
      ...secondPhone(world),
      name: '50% off_line',
      verify: false,
    })
    const namesOf = async (query: string): Promise<unknown[]> =>
      ((await admin.get(`/api/accounts${query}`)).data['items'] as Loose[]).map(
        ({ name }) => name as string,
      )
    expect(await namesOf('')).toEqual(['50% off_line', 'Acme main'])
    expect(await namesOf('?search=ACME')).toEqual(['Acme main'])
    expect(await namesOf('?search=010-0001')).toEqual(['Acme main'])
    for (const written of ['15550100001', '+1 (555) 010 0001', '0100001']) {
      expect(await namesOf(`?search=${encodeURIComponent(written)}`)).toEqual(['Acme main'])
    }
    expect(await namesOf(`?search=${encodeURIComponent('%')}`)).toEqual(['50% off_line'])
    expect(await namesOf('?search=_')).toEqual(['50% off_line'])
    expect(await namesOf('?status=pending')).toEqual(['50% off_line'])
    expect(await namesOf('?limit=1&page=2')).toEqual(['Acme main'])
    expect((await admin.get('/api/accounts?status=odd')).status).toBe(400)
  })
})

describe('disconnecting a number', () => {
  test('keeps its history and frees its ID and name; connecting it again restores the history', async () => {
    await using world = await World.create()
    const contact = await world.contactOf()
    const admin = await world.as('admin')
    const id = world.tenant.accountId
    expect((await admin.delete(`/api/accounts/${id}`)).data).toHaveProperty('message')
    expect((await admin.get('/api/accounts')).data['total']).toBe(0)
    expect((await admin.get(`/api/accounts/${id}`)).status).toBe(404)
    expect((await admin.delete(`/api/accounts/${id}`)).status).toBe(404)
    expect((await admin.get(`/api/contacts/${contact['id']}/messages`)).data['total']).toBe(1)
    expect((await admin.get('/api/conversations')).data['total']).toBe(1)

    const again = await admin.post('/api/accounts', numberOf(world, { name: 'Acme main' }))
    expect(again).toMatchObject({
      status: 201,
      data: { id, name: 'Acme main', status: 'active', is_default_outgoing: true },
    })
    await deliver(world, textTo(world, 'Me again', { person: { waId: String(contact['wa_id']) } }))
    expect((await admin.get(`/api/contacts/${contact['id']}/messages`)).data['total']).toBe(2)
    expect((await admin.get('/api/conversations')).data['total']).toBe(1)
  })

  test('fails waiting messages and clears the default, and connecting it again starts without errors', async () => {
    await using world = await World.create()
    const { id: contactId } = await world.contactOf()
    const admin = await world.as('admin')
    const id = world.tenant.accountId
    await admin.post('/api/outbox/pause', { account_id: id, reason: 'holiday' })
    const { data: message } = await admin.post(`/api/contacts/${contactId}/messages`, {
      type: 'text',
      text: 'waits',
    })
    await world.settle()
    const socket = await world.socket('agent')
    await admin.delete(`/api/accounts/${id}`)
    await world.settle()
    expect((await admin.get(`/api/messages/${message['id']}`)).data).toMatchObject({
      status: 'failed',
      error: { code: 'account_deleted' },
    })
    await socket.caughtUp()
    expect(socket.events('account:updated')).toMatchObject([
      { payload: { id, status: 'deleted', changed: ['deleted'] } },
    ])
    expect(world.simulator.messages).toEqual([])
    const { data } = await admin.post('/api/accounts', numberOf(world))
    expect(data).toMatchObject({ id, status: 'active', is_default_outgoing: true })
    await admin.post(`/api/contacts/${contactId}/messages`, { type: 'text', text: 'goes' })
    await world.settle()
    expect(world.simulator.messages).toHaveLength(1)
  })

  test('lets another organization connect it without access to the history', async () => {
    await using world = await World.create()
    await world.contactOf()
    await (await world.as('admin')).delete(`/api/accounts/${world.tenant.accountId}`)
    const bolt = await world.as('admin', world.other)
    const answer = await bolt.post('/api/accounts', numberOf(world))
    expect(answer.status).toBe(201)
    expect(answer.data['id']).not.toBe(world.tenant.accountId)
    await deliver(world, textTo(world, 'For Bolt now'))
    expect((await bolt.get('/api/contacts')).data['items']).toMatchObject([
      { last_message_preview: 'For Bolt now', unread_count: 1 },
    ])
    expect((await (await world.as('admin')).get('/api/contacts')).data['items']).toMatchObject([
      { last_message_preview: 'Hello!', unread_count: 1 },
    ])
  })
})
