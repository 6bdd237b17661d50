import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { PASSWORD, World } from '../../../support/world'

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

describe('a refresh without a token and without a cookie', () => {
  test('says that nobody is signed in', async () => {
    const { status, body } = await world.anyone.post('/api/auth/refresh', {})
    expect([status, body.code]).toEqual([401, 'no_session'])
  })
})
