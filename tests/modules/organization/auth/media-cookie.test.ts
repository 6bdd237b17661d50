import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import { upload } from '../../../support/files'
import { joinToo } from '../../../support/people'
import { stayInAll } from '../../../support/staying'
import { PASSWORD, World } from '../../../support/world'

let world: World
let mediaId: string

beforeAll(async () => {
  world = await World.create({ isConnected: false })
  mediaId = await uploadedBy('manager')
})
afterAll(() => world.stop())

async function uploadedBy(person: 'manager', tenant = world.tenant): Promise<string> {
  const client = await world.as(person, tenant)
  const file = { bytes: SAMPLES['image/jpeg'], type: 'image/jpeg', name: 'a.jpg' }
  return String((await upload(client, file)).data['id'])
}

/** Signs in as a browser does; returns the cookies by name, with their attributes. */
async function cookiesOf(email: string): Promise<Map<string, string>> {
  const { headers } = await world.anyone.post('/api/auth/login', {
    email,
    password: PASSWORD,
    use_cookie: true,
  })
  return new Map(headers.getSetCookie().map((cookie) => [cookie.split('=')[0] ?? '', cookie]))
}
async function browser(person: 'manager' | 'agent' = 'manager') {
  const cookies = await cookiesOf(world.emailOf(person, world.tenant))
  const pairs = [...cookies.values()].map((cookie) => cookie.split(';')[0])
  return { cookies, client: world.anyone.with({ cookie: pairs.join('; ') }) }
}

describe('the cookie with which a page shows media files', () => {
  stayInAll(() => world, 'sign-ins')
  test('is not accessible to scripts, other sites and other paths', async () => {
    const { cookies } = await browser()
    const [, ...attributes] = (cookies.get('swb_media') ?? '').split('; ')
    expect(attributes.toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=604800',
      'Path=/api/media',
      'SameSite=Strict',
    ])
    const { headers } = await world.anyone.post('/api/auth/login', {
      email: world.emailOf('manager', world.tenant),
      password: PASSWORD,
    })
    expect(headers.getSetCookie()).toEqual([])
  })

  test('shows files and thumbnails, and opens nothing else', async () => {
    const { client } = await browser()
    expect((await client.get(`/api/media/${mediaId}`)).status).toBe(200)
    for (const path of [`/api/media/${mediaId}/info`, '/api/me', '/api/contacts'])
      expect((await client.get(path)).status).toBe(401)
    for (const [method, path] of [
      ['DELETE', `/api/media/${mediaId}`],
      ['POST', `/api/media/${mediaId}/link`],
      ['POST', '/api/media'],
    ] as const)
      expect((await client.request(method, path)).status).toBe(401)
  })

  test('yields to other credentials', async () => {
    const { client } = await browser()
    const bad = await client.with({ authorization: 'Bearer x' }).get(`/api/media/${mediaId}`)
    expect([bad.status, bad.body.code]).toEqual([401, 'invalid_token'])
  })

  test('shows only what the user sees, in each organization of the user', async () => {
    const agent = await browser('agent')
    expect((await agent.client.get(`/api/media/${mediaId}`)).status).toBe(404)
    const elsewhere = await uploadedBy('manager', world.other)
    const { client } = await browser()
    expect((await client.get(`/api/media/${elsewhere}`)).status).toBe(404)
    joinToo(world, world.tenant.userIds.manager, world.other, 'manager')
    expect((await client.get(`/api/media/${elsewhere}`)).status).toBe(200)
    expect((await client.get(`/api/media/${mediaId}`)).status).toBe(200)
  })

  test('ends with the session', async () => {
    const { client, cookies } = await browser()
    expect((await client.get(`/api/media/${mediaId}`)).status).toBe(200)
    const { headers } = await client
      .with({ origin: world.url, 'content-type': 'application/json' })
      .post('/api/auth/logout', {})
    expect(headers.getSetCookie().map((cookie) => cookie.split(';')[0])).toEqual([
      'swb_refresh=',
      'swb_media=',
    ])
    const after = await client.get(`/api/media/${mediaId}`)
    expect([after.status, after.body.code]).toEqual([401, 'session_ended'])
    expect(cookies.size).toBe(2)
  })

  test('is refused if it is forged', async () => {
    const { status, body } = await world.anyone
      .with({ cookie: 'swb_media=abc' })
      .get(`/api/media/${mediaId}`)
    expect([status, body.code]).toEqual([401, 'invalid_token'])
  })
})
