import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { deliver, textTo } from '../../../support/lines'
import { openSendFixture, tracesIn, type SendFixture } from '../../../support/sending'
import { approvedTemplate } from '../../../support/templates'

const TEXT = { type: 'text', text: 'Hi' }

const post = (fixture: SendFixture, body: Loose) =>
  fixture.client.post('/api/messages', { ...TEXT, ...body })

describe('a message is for', () => {
  test.each<[string, (fixture: SendFixture) => Loose]>([
    ['a contact by its id', ({ contact }) => ({ contact_id: contact['id'] })],
    ['its number as digits', ({ contact }) => ({ phone_number: contact['phone_number'] })],
    ['its number as people write it', () => ({ phone_number: '+1 (555) 010-9999' })],
    ['its user id', ({ contact }) => ({ user_id: contact['user_id'] })],
  ])('%s', async (_, whomOf) => {
    await using fixture = await openSendFixture()
    const answer = await post(fixture, whomOf(fixture))
    expect(answer).toMatchObject({
      status: 201,
      data: { contact_id: fixture.contact['id'], status: 'pending' },
    })
    await fixture.world.settle()
    expect(fixture.world.simulator.messages.map(({ body }) => (body as Loose)['to'])).toEqual([
      `+${fixture.contact['wa_id']}`,
    ])
    expect(fixture.world.rows('select id from contacts')).toHaveLength(1)
  })

  test('a contact without a phone number, by its user ID', async () => {
    await using fixture = await openSendFixture()
    const { world } = fixture
    await deliver(
      world,
      textTo(world, 'No number', { person: { userId: 'US.900000000000000000017', name: 'Ana' } }),
    )
    const { data } = await post(fixture, { user_id: 'US.900000000000000000017' })
    await world.settle()
    const payload = world.simulator.messages.at(-1)?.body as Loose
    expect(payload).toMatchObject({
      recipient: 'US.900000000000000000017',
      biz_opaque_callback_data: data['id'],
    })
    expect(payload).not.toHaveProperty('to')
  })

  test('another spelling of the number it wrote from, as the platform knows it', async () => {
    await using fixture = await openSendFixture()
    const { world } = fixture
    await deliver(world, textTo(world, 'Oi', { person: { waId: '551187654321', name: 'Bia' } }))
    expect((await post(fixture, { phone_number: '+55 11 98765-4321' })).status).toBe(201)
    await world.settle()
    expect(world.simulator.messages.map(({ body }) => (body as Loose)['to'])).toEqual([
      '+551187654321',
    ])
    expect(world.rows('select id from contacts')).toHaveLength(2)
  })

  test('a deleted contact named by number, which is restored with its history', async () => {
    await using fixture = await openSendFixture()
    const { world, contact, client } = fixture
    world.program.http.db.sqlite.run('update contacts set deleted_at_ms = 1')
    expect((await client.get(`/api/contacts/${contact['id']}`)).status).toBe(404)
    expect((await post(fixture, { contact_id: contact['id'] })).status).toBe(404)
    expect(await post(fixture, { phone_number: contact['phone_number'] })).toMatchObject({
      status: 201,
      data: { contact_id: contact['id'] },
    })
    expect((await client.get(`/api/contacts/${contact['id']}`)).status).toBe(200)
    expect((await client.get(`/api/contacts/${contact['id']}/messages`)).data['total']).toBe(2)
  })
})

test('a template is sent from a number of its business account: its own, or another that is active', async () => {
  await using fixture = await openSendFixture()
  const { world } = fixture
  const admin = await world.as('admin')
  const connect = async (nth: number): Promise<string> => {
    const ids = { id: `30100000000009${nth}`, wabaId: '201000000000099' }
    world.simulator.addPhone({ ...ids, token: world.tenant.token })
    const { data } = await admin.post('/api/accounts', {
      name: `Shop ${nth}`,
      phone_id: ids.id,
      business_id: ids.wabaId,
      access_token: world.tenant.token,
    })
    return String(data['id'])
  }
  const [first, second] = [await connect(1), await connect(2)]
  const template = await approvedTemplate(world, {
    account_id: second,
    components: [{ type: 'BODY', text: 'Have a look at what we have for you' }],
  })
  const accountUsed = async (phone_number: string): Promise<unknown> => {
    const answer = await fixture.client.post('/api/messages/template', {
      phone_number,
      template_id: template['id'],
    })
    return answer.data['account_id'] as unknown
  }
  /** Sends once more, which the platform refuses because of the token. */
  const disconnect = async (phone_number: string, account: string): Promise<void> => {
    await world.settle()
    world.simulator.fail({ code: 190, message: 'Invalid token' }, { recipient: phone_number })
    expect(await accountUsed(`+${phone_number}`)).toBe(account)
    await world.settle()
    world.simulator.clearFaults()
    const { data } = await admin.get(`/api/accounts/${account}`)
    expect(data['status']).toBe('disconnected')
  }
  expect(await accountUsed('+15550107771')).toBe(second)
  await disconnect('15550107772', second)
  expect(await accountUsed('+15550107773')).toBe(first)
  await disconnect('15550107774', first)
  expect(await accountUsed('+15550107775')).toBe(first)
})

describe('nothing is sent and nothing stored, not even a contact,', () => {
  test.each<[string, Loose, number, Loose]>([
    ['to nobody', {}, 400, { code: 'invalid_input', errors: [{ path: 'body.contact_id' }] }],
    [
      'to two',
      { phone_number: '+15550109999', user_id: 'US.1' },
      400,
      { code: 'invalid_input', errors: [{ path: 'body.contact_id' }] },
    ],
    [
      'to a number that is none',
      { phone_number: '12' },
      400,
      { code: 'invalid_input', errors: [{ path: 'body.phone_number' }] },
    ],
    [
      'to words',
      { phone_number: 'call me' },
      400,
      { code: 'invalid_input', errors: [{ path: 'body.phone_number' }] },
    ],
    [
      'to a user id that is none',
      { user_id: 'me' },
      400,
      { code: 'invalid_input', errors: [{ path: 'body.user_id' }] },
    ],
    [
      'to a malformed id',
      { contact_id: 'me' },
      400,
      { code: 'invalid_input', errors: [{ path: 'body.contact_id' }] },
    ],
    [
      'to an unknown contact',
      { contact_id: '01900000-0000-7000-8000-ffffffffffff' },
      404,
      { code: 'not_found' },
    ],
    [
      'to a number that never wrote',
      { phone_number: '+1 555 010 7777' },
      400,
      { code: 'window_closed', details: { window_expires_at: null, closed_for_seconds: null } },
    ],
    [
      'to a user id that never wrote',
      { user_id: 'US.900000000000000000018' },
      400,
      { code: 'window_closed' },
    ],
    [
      'in reply, to a number that never wrote',
      { phone_number: '+1 555 010 7777', reply_to: '01900000-0000-7000-8000-ffffffffffff' },
      400,
      { errors: [{ path: 'body.reply_to' }] },
    ],
    [
      'when the message is no good either, which is told first',
      { phone_number: '12', text: ' ' },
      400,
      { errors: [{ path: 'body.text' }] },
    ],
  ])('%s', async (_, whom, status, body) => {
    await using fixture = await openSendFixture()
    fixture.world.stays('jobs')
    const before = tracesIn(fixture.world)
    expect(await post(fixture, whom)).toMatchObject({ status, body })
    expect(tracesIn(fixture.world)).toEqual(before)
  })

  test('to a contact of another organization, nor by its number', async () => {
    await using fixture = await openSendFixture()
    fixture.world.stays('jobs')
    const theirs = await fixture.world.contactOf(fixture.world.other, 'Hello Bolt')
    const before = tracesIn(fixture.world)
    expect((await post(fixture, { contact_id: theirs['id'] })).status).toBe(404)
    expect((await post(fixture, { phone_number: theirs['phone_number'] })).body.code).toBe(
      'window_closed',
    )
    expect(tracesIn(fixture.world)).toEqual(before)
  })

  test('to a contact that the agent cannot see, by ID, number or user ID', async () => {
    await using fixture = await openSendFixture({ person: 'agent' })
    const { contact } = fixture
    for (const whom of [
      { contact_id: contact['id'] },
      { phone_number: contact['phone_number'] },
      { user_id: contact['user_id'] },
    ])
      expect(await post(fixture, whom)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  test('from a phone number that cannot send, even to a new contact', async () => {
    await using fixture = await openSendFixture()
    fixture.world.program.http.db.sqlite.run("update accounts set status = 'suspended'")
    expect((await post(fixture, { phone_number: '+1 555 010 7777' })).body.code).toBe(
      'account_inactive',
    )
    await (
      await fixture.world.as('admin')
    ).delete(`/api/accounts/${fixture.world.tenant.accountId}`)
    expect((await post(fixture, { phone_number: '+1 555 010 7777' })).body.code).toBe(
      'account_required',
    )
  })
})

test('a national number gets the country code of the organization', async () => {
  await using fixture = await openSendFixture()
  const { world } = fixture
  await deliver(world, textTo(world, 'Hallo', { person: { waId: '4915112345678', name: 'Eva' } }))
  world.program.http.db.sqlite.run("update organizations set default_country = 'DE'")
  expect((await post(fixture, { phone_number: '0151 12345678' })).status).toBe(201)
})

test('the same key sends one message', async () => {
  await using fixture = await openSendFixture()
  const client = fixture.client.with({ 'idempotency-key': 'once' })
  const body = { ...TEXT, contact_id: fixture.contact['id'] }
  const [first, again] = [
    await client.post('/api/messages', body),
    await client.post('/api/messages', body),
  ]
  expect([first.status, again.status, again.headers.get('idempotent-replay')]).toEqual([
    201,
    201,
    'true',
  ])
  await fixture.world.settle()
  expect(fixture.world.simulator.messages).toHaveLength(1)
})

test('sending requires the permission', async () => {
  await using fixture = await openSendFixture()
  expect((await fixture.world.anyone.post('/api/messages', TEXT)).status).toBe(401)
})
