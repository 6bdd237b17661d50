import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { Client, type Answer, type Loose } from '../../../support/client'
import { joinToo, personWith, type OwnRole } from '../../../support/people'
import { auditOf, claimsOf, pairOf } from '../../../support/tokens'
import { PASSWORD, World } from '../../../support/world'

let world: World
let person: OwnRole
let me: Client

beforeAll(async () => {
  world = await World.create({ isConnected: false, env: { PASSWORD_BLOCKLIST: 'true' } })
})

afterAll(() => world.stop())

beforeEach(async () => {
  world.clock.advance({ minutes: 16 })
  person = await personWith(world, ['users:read'])
  me = person.client
})

const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
const login = (email: string, password: string): Promise<Answer<Loose>> =>
  world.anyone.post('/api/auth/login', { email, password })
const pathsOf = ({ body }: Answer<unknown>): string[] => (body.errors ?? []).map(({ path }) => path)

describe('updating the own account', () => {
  test('trims a new name and publishes it', async () => {
    const socket = await world.socket('admin')
    const { status, data } = await me.put('/api/me', { full_name: '  Ada Lovelace ' })
    expect([status, data['full_name'], data['id']]).toEqual([200, 'Ada Lovelace', person.userId])
    expect(Object.keys(data).toSorted()).toEqual(
      Object.keys((await me.get('/api/me')).data).toSorted(),
    )
    await world.settle()
    await socket.until('it is told', () =>
      socket.frames.some(({ type }) => type === 'member:updated'),
    )
    expect(socket.frames.find(({ type }) => type === 'member:updated')?.payload).toMatchObject({
      user_id: person.userId,
      full_name: 'Ada Lovelace',
      change: 'updated',
    })
    expect(JSON.parse(auditOf(world, 'updated').at(-1)?.changes ?? '')).toEqual([
      { field: 'full_name', old_value: 'Own Role', new_value: 'Ada Lovelace' },
    ])
  })

  for (const name of ['', '   ', 'a\u0007b', 'x'.repeat(256)])
    test(`rejects the name ${JSON.stringify(name.slice(0, 10))}`, async () => {
      const answer = await me.put('/api/me', { full_name: name })
      expect([answer.status, pathsOf(answer)]).toEqual([400, ['body.full_name']])
    })

  test('accepts a new email only with the password, and the email signs in', async () => {
    const email = `new-${person.userId.slice(-8)}@example.com`
    expect(pathsOf(await me.put('/api/me', { email }))).toEqual(['body.current_password'])
    expect(verdict(await me.put('/api/me', { email, current_password: 'not it at all' }))).toEqual([
      400,
      'wrong_password',
    ])
    const { data } = await me.put('/api/me', {
      email: ` ${email.toUpperCase()} `,
      current_password: PASSWORD,
    })
    expect(data['email']).toBe(email)
    expect((await login(email, PASSWORD)).status).toBe(200)
    expect(verdict(await login(person.email, PASSWORD))).toEqual([401, 'invalid_credentials'])
  })

  test('rejects an invalid or existing email; the current one changes nothing', async () => {
    expect(
      pathsOf(await me.put('/api/me', { email: 'a@b@c', current_password: PASSWORD })),
    ).toEqual(['body.email'])
    const taken = await me.put('/api/me', {
      email: world.emailOf('admin', world.tenant),
      current_password: PASSWORD,
    })
    expect(verdict(taken)).toEqual([409, 'email_taken'])
    expect((await me.put('/api/me', { email: person.email })).status).toBe(200)
  })

  test('sets the default organization, which must be an own one', async () => {
    joinToo(world, person.userId, world.other)
    const { data } = await me.put('/api/me', { default_organization_id: world.other.id })
    expect(data).toMatchObject({
      default_organization_id: world.other.id,
      organization_id: world.tenant.id,
    })
    expect((await login(person.email, PASSWORD)).data['user']['organization_id']).toBe(
      world.other.id,
    )
    expect(
      world.rows('select 1 from memberships where user_id = ? and is_default = 1', person.userId),
    ).toHaveLength(1)
    const [stranger] = world.rows<{ id: string }>(
      "select id from users where email = 'super@example.com'",
    )
    expect((await me.put('/api/me', { default_organization_id: stranger?.id ?? '' })).status).toBe(
      404,
    )
  })

  test('changes nothing with an empty body or unknown fields', async () => {
    expect((await me.put('/api/me', {})).status).toBe(400)
    await me.put('/api/me', {
      full_name: 'Same',
      is_super_admin: true,
      home_organization_id: world.other.id,
      id: 'x',
    })
    expect((await me.get('/api/me')).data).toMatchObject({
      is_super_admin: false,
      is_member: false,
      id: person.userId,
    })
  })
})

describe('changing the own password', () => {
  const NEXT = 'a better horse, a better battery'
  const change = (current: string, next: string): Promise<Answer<Loose>> =>
    me.put('/api/me/password', { current_password: current, new_password: next })

  test('ends all other sessions and invalidates the old password', async () => {
    const other = await pairOf(world, person.email)
    const elsewhere = new Client(world.url, { authorization: `Bearer ${other.access_token}` })
    world.rows('update users set must_change_password = 1 where id = ?', person.userId)
    expect((await change(PASSWORD, NEXT)).status).toBe(200)
    expect(verdict(await elsewhere.get('/api/me'))).toEqual([401, 'session_ended'])
    expect((await me.get('/api/me')).data['must_change_password']).toBe(false)
    expect([
      (await login(person.email, PASSWORD)).status,
      (await login(person.email, NEXT)).status,
    ]).toEqual([401, 200])
    expect(auditOf(world, 'password_changed').at(-1)?.changes).toBe(
      JSON.stringify([{ field: 'password', old_value: '***', new_value: '***' }]),
    )
  })

  const refusals: [what: string, current: string, next: string, code: string][] = [
    ['a wrong present one', 'not it at all', NEXT, 'wrong_password'],
    ['seven characters', PASSWORD, '1234567', 'invalid_input'],
    ['half a character', PASSWORD, '\ud83e is half a parrot', 'invalid_input'],
    ['257 characters', PASSWORD, 'x'.repeat(257), 'invalid_input'],
    ['the same as before', PASSWORD, PASSWORD, 'same_password'],
    ['a common one', PASSWORD, 'Password123', 'password_too_common'],
  ]
  for (const [what, current, next, code] of refusals)
    test(`rejects ${what} and never repeats it`, async () => {
      const answer = await change(current, next)
      expect(verdict(answer)).toEqual([400, code])
      expect(JSON.stringify(answer.body)).not.toContain(next)
      expect((await login(person.email, PASSWORD)).status).toBe(200)
    })

  test('requires 8 to 256 characters of any kind, counted after NFC', async () => {
    const shortest = 'a\u0308'.repeat(4) + '🔒 \n\t'
    expect([...shortest.normalize('NFC')]).toHaveLength(8)
    expect((await change(PASSWORD, shortest)).status).toBe(200)
    expect((await login(person.email, shortest.normalize('NFC'))).status).toBe(200)
    expect((await change(shortest, '🔒'.repeat(256))).status).toBe(200)
  })

  test('twice at the same moment succeeds once', async () => {
    const answers = await Promise.all([change(PASSWORD, NEXT), change(PASSWORD, `${NEXT}!`)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
  })
})

test('accepts common passwords without PASSWORD_BLOCKLIST', async () => {
  await using free = await World.create({ isConnected: false })
  const agent = await free.as('agent')
  const { status } = await agent.put('/api/me/password', {
    current_password: PASSWORD,
    new_password: 'password123',
  })
  expect(status).toBe(200)
})

describe('own settings', () => {
  test('have defaults, change one by one and are part of GET /api/me', async () => {
    const defaults = {
      email_notifications: true,
      new_message_alerts: true,
      campaign_updates: true,
      language: null,
      ui: {},
    }
    expect((await me.get('/api/me/settings')).data).toEqual({ settings: defaults })
    const { data } = await me.put('/api/me/settings', {
      campaign_updates: false,
      language: 'pt-br',
    })
    const wanted = { ...defaults, campaign_updates: false, language: 'pt-BR' }
    expect(data).toEqual({ message: expect.any(String), settings: wanted })
    expect((await me.get('/api/me')).data['settings']).toEqual(wanted)
    expect(
      (await me.put('/api/me/settings', { language: null })).data['settings']['language'],
    ).toBeNull()
    expect(auditOf(world, 'updated').at(-1)).toMatchObject({
      resource_type: 'user_settings',
      resource_id: person.userId,
    })
  })

  test('keep what the console stores, replaced as a whole and without audit entries', async () => {
    const ui = { density: 'compact', panes: { list: 320 }, pinned: ['a', 1, null, true] }
    const before = auditOf(world, 'updated').length
    expect((await me.put('/api/me/settings', { ui })).data['settings']['ui']).toEqual(ui)
    expect((await me.get('/api/me')).data['settings']['ui']).toEqual(ui)
    await me.put('/api/me/settings', { language: 'de' })
    expect((await me.get('/api/me/settings')).data['settings']).toMatchObject({ ui })
    await me.put('/api/me/settings', { ui: { theme: 'dark' }, language: null })
    expect((await me.get('/api/me/settings')).data['settings']['ui']).toEqual({ theme: 'dark' })
    expect(auditOf(world, 'updated').length).toBe(before + 2) // of the language
  })

  test('hold at most 16 KiB of the console', async () => {
    const text = 'x'.repeat(16 * 1024 - 8)
    expect((await me.put('/api/me/settings', { ui: { a: text } })).status).toBe(200)
    const { status, body } = await me.put('/api/me/settings', { ui: { a: `${text}x` } })
    expect([status, body.errors]).toEqual([
      400,
      [{ path: 'body.ui', message: 'must be up to 16 KiB as JSON' }],
    ])
  })

  for (const body of [
    {},
    { ui: [] },
    { ui: null },
    { ui: 'dark' },
    { ui: { constructor: 1 } },
    { language: 'no language' },
    { language: 'x'.repeat(36) },
    { email_notifications: 'yes' },
    { new_message_alerts: null },
  ])
    test(`reject ${JSON.stringify(body)}`, async () => {
      expect((await me.put('/api/me/settings', body)).status).toBe(400)
    })
})

describe('own sessions', () => {
  test('are listed by last use, without ended ones', async () => {
    world.clock.advance({ minutes: 1 })
    const second = await pairOf(world, person.email)
    world.clock.advance({ minutes: 2 })
    await world.anyone.post('/api/auth/refresh', { refresh_token: second.refresh_token })
    const third = await pairOf(world, person.email)
    await world.anyone.post('/api/auth/logout', { refresh_token: third.refresh_token })
    const { data } = await me.get('/api/me/sessions')
    expect(data).toMatchObject({ total: 2, page: 1, limit: 20, total_pages: 1 })
    const [first, last] = data['items'] as [Loose, Loose]
    expect(first).toEqual({
      id: claimsOf(second.access_token).sid,
      created_at: expect.any(String),
      last_used_at: new Date(world.clock.nowMs()).toISOString(),
      expires_at: expect.any(String),
      ip_address: '127.0.0.1',
      user_agent: expect.stringContaining('Bun'),
      organization_id: world.tenant.id,
      is_current: false,
    })
    expect(last).toMatchObject({ id: claimsOf(me.token).sid, is_current: true })
    expect(
      Date.parse(first['expires_at'] as string) - Date.parse(first['created_at'] as string),
    ).toBe(30 * 86_400_000)
  })

  test('record every request at most once a minute and are sorted by it', async () => {
    const first = claimsOf(me.token).sid
    const second = await world.signIn(person.email)
    const listed = async (): Promise<[id: string, lastUsed: string][]> =>
      ((await second.get('/api/me/sessions')).data['items'] as Loose[]).map((row) => [
        row['id'] as string,
        row['last_used_at'] as string,
      ])
    const now = (): string => new Date(world.clock.nowMs()).toISOString()
    world.clock.advance({ minutes: 5 })
    await second.get('/api/me')
    world.clock.advance({ seconds: 1 })
    const usedAt = now()
    await me.get('/api/me')
    expect((await listed())[0]).toEqual([first, usedAt])
    world.clock.advance({ seconds: 58, ms: 999 })
    const changes = () => world.rows('select total_changes() as n')
    await second.get('/api/me') // a minute has not passed for it either
    const before = changes()
    for (let round = 0; round < 20; round += 1) await me.get('/api/me')
    expect([(await listed())[0], changes()]).toEqual([[first, usedAt], before])
    world.clock.advance({ seconds: 1, ms: 1 })
    await me.get('/api/me')
    expect((await listed()).find(([id]) => id === first)).toEqual([first, now()])
  })

  test('show where they were last used', async () => {
    joinToo(world, person.userId, world.other)
    await me.post('/api/auth/switch-org', { organization_id: world.other.id })
    const { data } = await me.get('/api/me/sessions')
    expect((data['items'] as Loose[])[0]).toMatchObject({
      organization_id: world.other.id,
      is_current: true,
    })
  })

  test('can be ended one by one, but not those of others', async () => {
    const second = await pairOf(world, person.email)
    const path = `/api/me/sessions/${claimsOf(second.access_token).sid}`
    expect((await (await world.as('admin')).delete(path)).status).toBe(404)
    expect((await me.delete(path)).status).toBe(200)
    expect(
      verdict(
        await world.anyone.post('/api/auth/refresh', { refresh_token: second.refresh_token }),
      ),
    ).toEqual([401, 'session_ended'])
    expect((await me.delete(path)).status).toBe(404)
    expect((await me.delete('/api/me/sessions/x')).status).toBe(400)
    expect(auditOf(world, 'session_ended').at(-1)).toMatchObject({
      resource_id: claimsOf(second.access_token).sid,
    })
  })
})
