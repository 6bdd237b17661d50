import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { stayInAll } from '../../../support/staying'
import { claimsOf, type Pair } from '../../../support/tokens'
import { PASSWORD, World } from '../../../support/world'

let world: World
let own: Record<string, string>

beforeAll(async () => {
  world = await World.create({
    isConnected: false,
    env: { BASE_URL: 'https://chat.example.com', CORS_ORIGINS: 'https://app.example.com' },
  })
  own = { origin: 'https://chat.example.com' }
})

afterAll(() => world.stop())

const credentials = () => ({ email: world.emailOf('agent', world.tenant), password: PASSWORD })

/** Signs in as a browser does; answers the cookie as it is sent back. */
async function cookieOf(): Promise<string> {
  const { headers } = await world.anyone.post('/api/auth/login', {
    ...credentials(),
    use_cookie: true,
  })
  return (headers.getSetCookie()[0] ?? '').split(';')[0] as string
}

describe('the refresh token as a browser cookie', () => {
  stayInAll(() => world, 'sign-ins')
  test('is not accessible to scripts, other sites and other paths', async () => {
    const { data, headers } = await world.anyone.post<Pair>('/api/auth/login', {
      ...credentials(),
      use_cookie: true,
    })
    expect(data).toMatchObject({ refresh_token: null, access_token: expect.any(String) })
    const [value = '', ...attributes] = (headers.getSetCookie()[0] ?? '').split('; ')
    expect(claimsOf(value.replace('swb_refresh=', '')).typ).toBe('refresh')
    expect(attributes.toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=604800',
      'Path=/api/auth',
      'SameSite=Strict',
      'Secure',
    ])
  })

  test('is Secure only if the server is reached over HTTPS', async () => {
    await using plain = await World.create({ isConnected: false })
    const body = {
      email: plain.emailOf('agent', plain.tenant),
      password: PASSWORD,
      use_cookie: true,
    }
    const { headers } = await plain.anyone.post('/api/auth/login', body)
    expect(headers.get('set-cookie')).not.toContain('Secure')
  })

  test('refreshes, again and again', async () => {
    let cookie = await cookieOf()
    for (let round = 0; round < 3; round += 1) {
      const { status, data, headers } = await world.anyone
        .with({ ...own, cookie })
        .post('/api/auth/refresh', { use_cookie: true })
      expect([status, data['refresh_token']]).toEqual([200, null])
      cookie = (headers.getSetCookie()[0] ?? '').split(';')[0] as string
    }
  })

  test('switches organizations', async () => {
    const root = await world.as('super')
    const { data, headers } = await root.post('/api/auth/switch-org', {
      organization_id: world.other.id,
      use_cookie: true,
    })
    expect(data['refresh_token']).toBeNull()
    expect(headers.get('set-cookie')).toContain('swb_refresh=')
  })

  test('is not set without the field; the body carries both tokens then', async () => {
    const { data, headers } = await world.anyone.post('/api/auth/login', credentials())
    expect([typeof data['refresh_token'], headers.get('set-cookie')]).toEqual(['string', null])
    const refreshed = await world.anyone
      .with({ ...own, cookie: await cookieOf() })
      .post('/api/auth/refresh', {})
    expect([typeof refreshed.data['refresh_token'], refreshed.headers.get('set-cookie')]).toEqual([
      'string',
      null,
    ])
  })

  test('is cleared by signing out, which ends the session', async () => {
    const cookie = await cookieOf()
    const { headers } = await world.anyone.with({ ...own, cookie }).post('/api/auth/logout', {})
    expect(headers.get('set-cookie')).toContain('swb_refresh=; Path=/api/auth; Max-Age=0')
    const again = await world.anyone.with({ ...own, cookie }).post('/api/auth/refresh', {})
    expect([again.status, again.body.code]).toEqual([401, 'session_ended'])
  })
})

describe('the cookie counts in pages of this server', () => {
  const here = (): string => new URL(world.url).host
  const pages: [what: string, headers: () => Record<string, string>][] = [
    ['at BASE_URL', () => own],
    ['at the address of the request', () => ({ origin: world.url })],
    ['at that address over HTTPS', () => ({ origin: `https://${here()}` })],
    [
      'at a host whose default port is named',
      () => ({ origin: 'http://desk.lan', host: 'desk.lan:80' }),
    ],
    ['with an origin in CORS_ORIGINS', () => ({ origin: 'https://app.example.com' })],
  ]
  test.each(pages)('%s', async (_, headers) => {
    const cookie = await cookieOf()
    const answer = await world.anyone
      .with({ ...headers(), cookie })
      .post('/api/auth/refresh', { use_cookie: true })
    expect(answer.status).toBe(200)
  })
})

describe('the cookie counts only in same-origin requests with a JSON body', () => {
  stayInAll(() => world, 'sign-ins')
  const foreign: [what: string, headers: Record<string, string>][] = [
    ['another origin', { origin: 'https://evil.example.com' }],
    ['no origin', {}],
    ['an opaque origin', { origin: 'null' }],
    ['an origin of another port', { origin: 'http://127.0.0.1:1' }],
    ['an origin that is no web address', { origin: 'file://127.0.0.1' }],
    ['another media type', { origin: 'https://chat.example.com', 'content-type': 'text/plain' }],
  ]
  for (const [what, headers] of foreign)
    test(what, async () => {
      const cookie = await cookieOf()
      const { status } = await world.anyone
        .with({ ...headers, cookie })
        .post('/api/auth/refresh', {})
      expect([401, 415]).toContain(status)
      await world.anyone.with({ ...headers, cookie }).post('/api/auth/logout', {})
      expect(
        (await world.anyone.with({ ...own, cookie }).post('/api/auth/refresh', {})).status,
      ).toBe(200)
    })

  test('yields to a token in the body, and no other route reads it', async () => {
    const cookie = await cookieOf()
    const broken = await world.anyone
      .with({ ...own, cookie })
      .post('/api/auth/refresh', { refresh_token: 'broken' })
    expect([broken.status, broken.body.code]).toEqual([401, 'invalid_token'])
    expect((await world.anyone.with({ ...own, cookie }).get('/api/me')).status).toBe(401)
  })
})
