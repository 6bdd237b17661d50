import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'

import { uuidToBytes } from '../../../../src/infra/db/uuid'
import type { Answer, Client, Loose } from '../../../support/client'
import { Browser, PushService } from '../../../support/push-service'
import { personWith, type OwnRole } from '../../../support/people'
import { World } from '../../../support/world'

const PATH = '/api/push/subscriptions'
const PHONE = '491510000001'

const service = new PushService()
let world: World
let admin: Client
let publicKey: string

beforeAll(async () => {
  world = await World.create({
    env: { BASE_URL: 'https://chat.example.com', EGRESS_ALLOW: `127.0.0.1:${service.port}` },
  })
  admin = await world.as('admin')
  publicKey = String((await admin.get('/api/push/key')).data['public_key'])
})

beforeEach(() => {
  service.received.length = 0
  service.status = 201
  world.clock.advance({ minutes: 2 })
})

afterAll(async () => {
  await world.stop()
  await service.stop()
})

const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
const browser = (name: string): Browser => new Browser(`${service.origin}/push/${name}`)
const subscribe = (client: Client, to: Browser): Promise<Answer<Loose>> =>
  client.post(PATH, to.subscription)
async function says(text: string): Promise<void> {
  await world.simulator.customer({ phone: world.tenant.phoneId, waId: PHONE }).says(text)
  await world.settle()
}
const reached = (): string[] =>
  service.received.map(({ path }) => path.split('/').at(-1) ?? '').toSorted()
const reader = (): Promise<OwnRole> =>
  personWith(world, ['messages:read', 'messages:create', 'contacts:read', 'contacts:read_all'])

test('a browser is told that there is a message, and nothing else, in words only it can read', async () => {
  const own = browser('admin')
  expect((await subscribe(admin, own)).status).toBe(201)
  const stored = JSON.stringify(world.rows('select * from push_subscriptions'))
  for (const secret of [own.endpoint, own.subscription.keys.auth, own.subscription.keys.p256dh])
    expect(stored).not.toContain(secret)
  await says('the combination of the safe')
  const [pushed, ...others] = service.received
  if (!pushed) throw new Error('nothing was pushed')
  expect(others).toEqual([])
  expect(Object.fromEntries(pushed.headers)).toMatchObject({
    'content-encoding': 'aes128gcm',
    ttl: '3600',
  })
  expect(PushService.claimsOf(pushed, publicKey)).toMatchObject({
    aud: service.origin,
    sub: 'https://chat.example.com',
  })
  const { data } = await admin.get('/api/conversations')
  const id = String((data['items'] as Loose[])[0]?.['id'])
  expect(own.decrypt(pushed.body)).toEqual({ title: 'New message', link: `/inbox/${id}`, tag: id })
  expect(pushed.body.length).toBeLessThan(512)
  // One a minute and conversation.
  await says('again')
  expect(service.received).toHaveLength(1)
  world.clock.advance({ seconds: 61 })
  await says('and again')
  expect(service.received).toHaveLength(2)
  await admin.request('DELETE', PATH, { endpoint: own.endpoint })
  world.clock.advance({ seconds: 61 })
  await says('not any more')
  expect(service.received).toHaveLength(2)
})

test('says from whom and what if the organization allows it, masked as for the person', async () => {
  const { client } = await reader()
  const [full, masked] = [browser('full'), browser('masked')]
  await subscribe(admin, full)
  await subscribe(client, masked)
  const settings = '/api/organizations/settings'
  await admin.put(settings, { push_shows_content: true, mask_phone_numbers: true })
  const { data } = await admin.get('/api/contacts')
  const path = `/api/contacts/${String((data['items'] as Loose[])[0]?.['id'])}`
  await admin.put(path, { name: `+${PHONE}` })
  await says(`Hello ${'x'.repeat(3_000)}`)
  const shownTo = (own: Browser): unknown => {
    const pushed = service.received.find(({ path: to }) => own.endpoint.endsWith(to))
    return pushed && own.decrypt(pushed.body)
  }
  const body = expect.stringMatching(/^Hello x{50,194}$/)
  expect(shownTo(full)).toMatchObject({ title: `+${PHONE}`, body })
  expect(shownTo(masked)).toMatchObject({ title: expect.stringMatching(/^\+\*+0001$/), body })
  // A text of ours is not shown as one of the customer.
  service.received.length = 0
  service.status = 503
  world.clock.advance({ minutes: 2 })
  await says('Are you there?')
  service.received.length = 0
  service.status = 201
  expect((await admin.post(`${path}/messages`, { type: 'text', text: 'We are' })).status).toBe(201)
  world.clock.advance({ minutes: 2 })
  await world.settle()
  expect(shownTo(full)).toMatchObject({ body: '' })
  await admin.put(settings, { push_shows_content: false, mask_phone_numbers: false })
  for (const [person, own] of [
    [admin, full],
    [client, masked],
  ] as const)
    await person.request('DELETE', PATH, { endpoint: own.endpoint })
})

test('reaches those who see the contact, want alerts and do not look at the console', async () => {
  using _stay = world.stays('sign-ins')
  const [sees, blind, silent, looks] = [
    await reader(),
    await personWith(world, ['messages:read', 'contacts:read']),
    await reader(),
    await reader(),
  ]
  for (const [name, person] of Object.entries({ sees, blind, silent, looks }))
    expect((await subscribe(person.client, browser(name))).status).toBe(201)
  await silent.client.put('/api/me/settings', { new_message_alerts: false })
  const { data } = await admin.get('/api/conversations')
  const conversation_id = String((data['items'] as Loose[])[0]?.['id'])
  const ticket = (await looks.client.post('/api/auth/ws-ticket')).data['ticket']
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}/ws?ticket=${String(ticket)}`)
  await new Promise((done) => socket.addEventListener('open', done))
  socket.send(JSON.stringify({ type: 'presence', payload: { conversation_id, doing: 'viewing' } }))
  const { focusedUsers, clock } = world.program.http
  const at = { organizationId: world.tenant.id, userId: looks.userId }
  await world.eventually(() => focusedUsers.has(at, clock.nowMs()))
  await says('Hello')
  expect(reached()).toEqual(['sees'])
  world.clock.advance({ seconds: 61 }) // the look has lapsed
  sees.may('contacts:read')
  await says('Hello again')
  expect(reached()).toEqual(['looks', 'sees'])
  socket.close()
  // A session that ended, and a person who left.
  await looks.client.post('/api/auth/logout-all')
  await admin.delete(`/api/users/${sees.userId}`)
  world.clock.advance({ seconds: 61 })
  await says('Anybody?')
  expect(reached()).toEqual(['looks', 'sees'])
  expect(world.rows('select 1 from push_subscriptions')).toHaveLength(2)
})

test('is forgotten when the push service no longer knows it, and tried again when that is busy', async () => {
  const person = await reader()
  await subscribe(person.client, browser('gone'))
  service.status = 503
  await says('Hello')
  expect(reached()).toEqual(['gone'])
  service.status = 410
  world.clock.advance({ minutes: 3 })
  await world.settle()
  expect(reached()).toEqual(['gone', 'gone'])
  world.clock.advance({ minutes: 3 })
  await says('Hello')
  expect(reached()).toEqual(['gone', 'gone'])
})

test('a person has at most ten, the same address counts once, and no address of ours is called', async () => {
  const person = await reader()
  for (let nth = 0; nth < 12; nth += 1) await subscribe(person.client, browser(`nth${nth}`))
  await subscribe(person.client, browser('nth11'))
  const own = (): number =>
    world.rows('select 1 from push_subscriptions where user_id = ?', person.userId).length
  expect(own()).toBe(10)
  const keys = browser('x').subscription.keys
  for (const [body, code, path] of [
    [{ endpoint: 'http://169.254.169.254/latest', keys }, 'url_refused', 'body.endpoint'],
    [{ endpoint: 'http://push.example.com/x', keys }, 'url_refused', 'body.endpoint'],
    [
      { endpoint: `${service.origin}/x`, keys: { ...keys, auth: 'short' } },
      'invalid_input',
      'body.keys',
    ],
    [
      { endpoint: `${service.origin}/x`, keys: { ...keys, p256dh: 'A'.repeat(87) } },
      'invalid_input',
      'body.keys',
    ],
  ] as const) {
    const answer = await person.client.post(PATH, body)
    expect([...verdict(answer), answer.body.errors?.[0]?.path]).toEqual([400, code, path])
  }
})

test('a browser that somebody else uses is taken over with its keys, not with its address alone', async () => {
  const [owner, colleague] = [await reader(), await reader()]
  const own = browser('shared')
  await subscribe(owner.client, own)
  const guessed = { ...browser('shared').subscription, endpoint: own.endpoint }
  expect(verdict(await colleague.client.post(PATH, guessed))).toEqual([409, 'endpoint_taken'])
  const userOf = (): unknown[] =>
    world
      .rows(
        'select hex(user_id) as who from push_subscriptions where user_id in (?, ?)',
        owner.userId,
        colleague.userId,
      )
      .map(({ who }) => String(who).toLowerCase())
  const hexOf = (id: string): string => Buffer.from(uuidToBytes(id)).toString('hex')
  expect(userOf()).toEqual([hexOf(owner.userId)])
  // The owner's browser has new keys; then a colleague signs in to the same browser.
  expect((await owner.client.post(PATH, guessed)).status).toBe(201)
  expect((await colleague.client.post(PATH, guessed)).status).toBe(201)
  expect(userOf()).toEqual([hexOf(colleague.userId)])
})

test('is off where the server is not reached over https, or turned off', async () => {
  for (const env of [{}, { BASE_URL: 'https://chat.example.com', WEB_PUSH: 'false' }] as const) {
    await using off = await World.create({ env: { ...env }, isConnected: false })
    const client = await off.as('admin')
    for (const answer of [
      await client.get('/api/push/key'),
      await subscribe(client, new Browser('https://push.example.com/x')),
      await client.request('DELETE', PATH, { endpoint: 'https://push.example.com/x' }),
    ])
      expect(verdict(answer)).toEqual([404, 'not_found'])
  }
})
