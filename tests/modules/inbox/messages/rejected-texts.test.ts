import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { deliver, textTo } from '../../../support/lines'
import { World, type Person } from '../../../support/world'
import { changeRows } from '../../../support/sql'

const UNKNOWN = '01900000-0000-7000-8000-ffffffffffff'

const nothingStored = (world: World): boolean =>
  world.rows("select id from messages where direction = 'outgoing'").length === 0 &&
  world.rows("select id from jobs where kind = 'message.send'").length === 0

/** A world with a contact that has just written, and a way to send to it. */
async function withContact(person: Person = 'manager') {
  const world = await World.create()
  const contact = await world.contactOf()
  const url = `/api/contacts/${contact['id']}/messages`
  const client = await world.as(person)
  return {
    world,
    contact,
    url,
    send: (body: unknown) => client.post(url, body),
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

describe('a text that cannot be sent is rejected and not stored', () => {
  test.each<[string, unknown, string]>([
    ['an unknown type', { type: 'hologram', text: 'Hi' }, 'body.type'],
    ['no type', { text: 'Hi' }, 'body.type'],
    ['no text', { type: 'text' }, 'body.text'],
    ['an empty text', { type: 'text', text: '' }, 'body.text'],
    ['a blank text', { type: 'text', text: ' \n\t ' }, 'body.text'],
    ['a blank text in content', { type: 'text', content: { text: '  ' } }, 'body.text'],
    ['content without text', { type: 'text', content: {} }, 'body.content.text'],
    ['a text that is a number', { type: 'text', text: 7 }, 'body.text'],
    ['two texts that differ', { type: 'text', text: 'a', content: { text: 'b' } }, 'body.text'],
    ['4097 characters', { type: 'text', text: 'x'.repeat(4_097) }, 'body.text'],
    ['4097 emoji', { type: 'text', text: '🍕'.repeat(4_097) }, 'body.text'],
    [
      'a client_ref of 101 characters',
      { type: 'text', text: 'Hi', client_ref: 'r'.repeat(101) },
      'body.client_ref',
    ],
    [
      'a preview_url that is no boolean',
      { type: 'text', text: 'Hi', preview_url: 'yes' },
      'body.preview_url',
    ],
    ['a malformed account_id', { type: 'text', text: 'Hi', account_id: 'x' }, 'body.account_id'],
    ['a malformed reply_to', { type: 'text', text: 'Hi', reply_to: 'x' }, 'body.reply_to'],
    [
      'a file name of two lines',
      { type: 'document', media_id: UNKNOWN, filename: 'a\r\nb.pdf' },
      'body.filename',
    ],
    ['an account nobody has', { type: 'text', text: 'Hi', account_id: UNKNOWN }, 'body.account_id'],
    [
      'a reply to a message nobody has',
      { type: 'text', text: 'Hi', reply_to: UNKNOWN },
      'body.reply_to',
    ],
  ])('with %s: 400 that names the field', async (_, body, path) => {
    await using at = await withContact()
    const answer = await at.send(body)
    expect(answer).toMatchObject({ status: 400, body: { status: 'error', data: null } })
    expect(answer.body.errors?.map((problem) => problem.path)).toContain(path)
    expect(nothingStored(at.world)).toBe(true)
  })

  test.each(['not json', '', '[]', 'null'])('with the body %p: 400', async (body) => {
    await using at = await withContact()
    expect((await at.send(body)).status).toBe(400)
  })

  test('to an unknown or invisible contact: 404, after the body was validated', async () => {
    await using at = await withContact('agent')
    expect((await at.send({ type: 'text', text: 'Hi' })).status).toBe(404)
    expect((await at.send({ type: 'text', text: '' })).status).toBe(400)
    const manager = await at.world.as('manager')
    expect(
      (await manager.post(`/api/contacts/${UNKNOWN}/messages`, { type: 'text', text: 'Hi' }))
        .status,
    ).toBe(404)
    expect(
      (await manager.post('/api/contacts/odd/messages', { type: 'text', text: 'Hi' })).status,
    ).toBe(400)
  })

  test('in reply to a message of another contact: 400', async () => {
    await using at = await withContact()
    await deliver(
      at.world,
      textTo(at.world, 'From somebody else', { person: { waId: '15550300009' }, id: 'wamid.else' }),
    )
    const [other] = at.world.rows<{ id: string }>(
      'select id from messages where wa_message_id = ?',
      'wamid.else',
    )
    const answer = await at.send({ type: 'text', text: 'Hi', reply_to: other?.id })
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'body.reply_to' }] } })
  })

  test('without an unambiguous phone number: 400 account_required', async () => {
    await using at = await withContact()
    const { world } = at
    world.simulator.addPhone({
      id: '301000000000009',
      wabaId: world.tenant.wabaId,
      token: world.tenant.token,
    })
    await (
      await world.as('admin')
    ).post('/api/accounts', {
      name: 'Second',
      phone_id: '301000000000009',
      business_id: world.tenant.wabaId,
      access_token: world.tenant.token,
    })
    world.program.http.db.sqlite.run('update contacts set account_id = null')
    world.program.http.db.sqlite.run('update accounts set is_default_outgoing = 0')
    expect(await at.send({ type: 'text', text: 'Hi' })).toMatchObject({
      status: 400,
      body: { code: 'account_required', errors: [{ path: 'body.account_id' }] },
    })
    expect(
      (await at.send({ type: 'text', text: 'Hi', account_id: world.tenant.accountId })).status,
    ).toBe(201)
  })

  test('from a suspended or a deleted number: 400 account_inactive', async () => {
    await using at = await withContact()
    const { world } = at
    world.program.http.db.sqlite.run("update accounts set status = 'suspended'")
    expect(await at.send({ type: 'text', text: 'Hi' })).toMatchObject({
      status: 400,
      body: { code: 'account_inactive' },
    })
    world.program.http.db.sqlite.run("update accounts set status = 'active'")
    await (await world.as('admin')).delete(`/api/accounts/${world.tenant.accountId}`)
    expect(
      await at.send({ type: 'text', text: 'Hi', account_id: world.tenant.accountId }),
    ).toMatchObject({
      status: 400,
      body: { code: 'account_inactive' },
    })
    expect(nothingStored(world)).toBe(true)
  })

  test('to a blocked contact: 400 contact_blocked', async () => {
    await using at = await withContact()
    at.world.program.http.db.sqlite.run('update contacts set blocked_at_ms = 1')
    expect(await at.send({ type: 'text', text: 'Hi' })).toMatchObject({
      status: 400,
      body: { code: 'contact_blocked' },
    })
    expect(nothingStored(at.world)).toBe(true)
  })

  test('to a contact without phone number and user ID: 400 no_address', async () => {
    await using at = await withContact()
    at.world.program.http.db.sqlite.run(
      'update contacts set phone_number = null, wa_id = null, user_id = null',
    )
    expect(await at.send({ type: 'text', text: 'Hi' })).toMatchObject({
      status: 400,
      body: { code: 'no_address' },
    })
    expect(nothingStored(at.world)).toBe(true)
  })

  test('a second after the 24 hours: 400 window_closed with how long ago; in the last second it is sent', async () => {
    await using at = await withContact()
    const { world, url } = at
    world.clock.advance({ hours: 23, minutes: 59, seconds: 59 })
    expect(
      (await (await world.as('manager')).post(url, { type: 'text', text: 'Just in time' })).status,
    ).toBe(201)
    world.clock.advance({ seconds: 3 })
    const late = await (await world.as('manager')).post(url, { type: 'text', text: 'Too late' })
    expect(late.body).toMatchObject({
      code: 'window_closed',
      details: { window_expires_at: '2026-11-22T09:30:00.000Z', closed_for_seconds: 2 },
    })
    expect(late.status).toBe(400)
    world.clock.advance({ hours: 5 })
    const later = await (await world.as('manager')).post(url, { type: 'text', text: 'Too late' })
    expect(later.body.message).toContain('5 hours ago')
    await deliver(
      world,
      textTo(world, 'Me again', { person: { waId: String(at.contact['wa_id']) } }),
    )
    expect(
      (await (await world.as('manager')).post(url, { type: 'text', text: 'Welcome back' })).status,
    ).toBe(201)
  })

  test('to a contact that never wrote to this number: 400 window_closed with nulls', async () => {
    await using at = await withContact()
    at.world.program.http.db.sqlite.run('update conversations set last_inbound_at_ms = null')
    const answer = await at.send({ type: 'text', text: 'Hi' })
    expect(answer.body).toMatchObject({
      code: 'window_closed',
      details: { window_expires_at: null, closed_for_seconds: null },
    })
  })

  test('when a thousand messages wait for one contact: 429 queue_full, and others are still served', async () => {
    await using at = await withContact()
    const { world } = at
    await (await world.as('manager')).post(at.url, { type: 'text', text: 'First' })
    const columns = world
      .rows<{ name: string }>(
        "select name from pragma_table_info('messages') where name not in ('row', 'id', 'source')",
      )
      .map(({ name }) => name)
    changeRows(
      world.program.http.db.sqlite,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 999) insert into messages (id, source, ${columns.join(', ')}) select unhex(printf('ffff%028x', i)), iif(i = 7, 'campaign', source), ${columns.join(', ')} from n, (select * from messages where direction = 'outgoing' limit 1)`,
    )
    expect((await at.send({ type: 'text', text: 'The last one of ours' })).status).toBe(201)
    const answer = await at.send({ type: 'text', text: 'One too many' })
    expect(answer).toMatchObject({ status: 429, body: { code: 'queue_full' } })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    await deliver(world, textTo(world, 'Hi', { person: { waId: '15550300009' } }))
    const other = await world.as('manager')
    const [second] = (await other.get('/api/contacts?search=15550300009')).data['items'] as Loose[]
    expect(
      (await other.post(`/api/contacts/${second?.['id']}/messages`, { type: 'text', text: 'Hi' }))
        .status,
    ).toBe(201)
  })

  test('with several problems: the first one in the order of the contract', async () => {
    await using at = await withContact()
    const { world } = at
    const run = (query: string): void => void changeRows(world.program.http.db.sqlite, query)
    const codeOf = async (
      body: Loose = { type: 'text', text: 'Hi' },
    ): Promise<string | undefined> => (await at.send(body)).body.code
    run('update conversations set last_inbound_at_ms = 1')
    expect(await codeOf()).toBe('window_closed')
    run('update contacts set phone_number = null, wa_id = null, user_id = null')
    expect(await codeOf()).toBe('no_address')
    run('update contacts set blocked_at_ms = 1')
    expect(await codeOf()).toBe('contact_blocked')
    run("update accounts set status = 'suspended'")
    expect(await codeOf()).toBe('account_inactive')
    expect(await codeOf({ type: 'text', text: ' ' })).toBe('invalid_input')
  })
})

test.each([
  ['agent', 404],
  ['manager', 201],
  ['admin', 201],
] as const)(
  '%s, who may send, gets %p for a contact that is assigned to nobody',
  async (person, status) => {
    await using at = await withContact(person)
    expect((await at.send({ type: 'text', text: 'Hi' })).status).toBe(status)
  },
)

test('sending requires signing in', async () => {
  await using at = await withContact()
  expect((await at.world.anyone.post(at.url, { type: 'text', text: 'Hi' })).status).toBe(401)
  expect((await at.world.anyone.post(at.url, { nonsense: true })).status).toBe(401)
})
