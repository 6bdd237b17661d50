import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { PASSWORD, World, type Person } from '../../../support/world'

let world: World

beforeAll(async () => {
  world = await World.create({ isConnected: false })
})
afterAll(() => world.stop())

/** Asks `GET /api/me` with the token of an answer. */
const meOf = async (answer: Loose): Promise<Loose> =>
  (await world.anyone.with({ authorization: `Bearer ${answer['access_token']}` }).get('/api/me'))
    .data

describe('include: ["me"]', () => {
  const credentials = () => ({ email: world.emailOf('agent', world.tenant), password: PASSWORD })
  const include = ['me']

  test('adds what GET /api/me returns to a sign-in and to a refresh', async () => {
    using _stay = world.stays('sign-ins')
    const { data } = await world.anyone.post('/api/auth/login', { ...credentials(), include })
    expect(data['me']).toEqual(await meOf(data))
    const refreshed = await world.anyone.post('/api/auth/refresh', {
      refresh_token: data['refresh_token'],
      include,
    })
    expect(refreshed.data['me']).toEqual(await meOf(refreshed.data))
    expect(refreshed.data['me']).toMatchObject({ email: credentials().email })
  })

  test('describes the organization that was switched to', async () => {
    const root = await world.as('super')
    const { data } = await root.post('/api/auth/switch-org', {
      organization_id: world.other.id,
      include,
    })
    expect(data['me']).toEqual(await meOf(data))
    expect(data['me']['organization_id']).toBe(world.other.id)
  })

  test('is left out without the field, and refused with other words', async () => {
    const { data } = await world.anyone.post('/api/auth/login', credentials())
    expect(data).not.toHaveProperty('me')
    const odd = await world.anyone.post('/api/auth/login', {
      ...credentials(),
      include: ['secrets'],
    })
    expect([odd.status, odd.body.errors?.[0]?.path]).toEqual([400, 'body.include.0'])
  })
})

describe('include: ["start"]', () => {
  const enter = async (person: Person): Promise<Loose> => {
    const { data } = await world.anyone.post('/api/auth/login', {
      email: world.emailOf(person, world.tenant),
      password: PASSWORD,
      include: ['me', 'start'],
    })
    return data
  }

  test('adds what the routes of a start return', async () => {
    using _stay = world.stays('sign-ins')
    const data = await enter('agent')
    const { socket_ticket: ticket, ...start } = data['start']
    const agent = world.anyone.with({ authorization: `Bearer ${data['access_token']}` })
    const routes = {
      branding: '/api/organizations/branding',
      conversation_counts: '/api/conversations/counts',
      conversations: '/api/conversations?state=open&limit=25',
      custom_actions: '/api/custom-actions?active_only=true&limit=50',
      notifications: '/api/me/notifications?unread=true&limit=20',
      organizations: '/api/me/organizations',
      scheduled_messages: '/api/scheduled-messages?mine=true&state=scheduled&order=asc&limit=100',
      views: '/api/views?resource=conversations&limit=100',
      work: '/api/me/work?running=true&limit=20',
    }
    for (const [part, path] of Object.entries(routes)) {
      const asked = await agent.get(path)
      expect([part, start[part] ?? null]).toEqual([part, asked.status === 403 ? null : asked.data])
    }
    expect(Object.keys(start).filter((part) => !(part in routes))).toEqual([])
    expect(ticket).toEqual({ ticket: expect.any(String), expires_in: 30 })
  })

  test('leaves out what the caller may not read', async () => {
    using _stay = world.stays('sign-ins')
    const admin = await world.as('admin')
    const { data: role } = await admin.post('/api/roles', { name: 'Nothing', permissions: [] })
    const { data: user } = await admin.post('/api/users', {
      email: 'nothing@test.example',
      full_name: 'Nobody',
      password: PASSWORD,
      role_id: role['id'],
    })
    const enterWith = async (password: string): Promise<Loose> =>
      (
        await world.anyone.post('/api/auth/login', {
          email: user['email'],
          password,
          include: ['start'],
        })
      ).data
    const first = await enterWith(PASSWORD)
    expect(first).not.toHaveProperty('start') // the password must be changed first
    const chosen = 'a better horse, a better battery'
    await world.anyone
      .with({ authorization: `Bearer ${first['access_token']}` })
      .put('/api/me/password', { current_password: PASSWORD, new_password: chosen })
    const second = await enterWith(chosen)
    expect(Object.keys(second['start'] ?? {}).toSorted()).toEqual([
      'branding',
      'notifications',
      'organizations',
      'socket_ticket',
      'views',
      'work',
    ])
    expect(second).not.toHaveProperty('me')
  })
})

describe('a refresh without a token and without a cookie', () => {
  test('says that nobody is signed in', async () => {
    const { status, body } = await world.anyone.post('/api/auth/refresh', {})
    expect([status, body.code]).toEqual([401, 'no_session'])
  })
})
