import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { World } from '../support/world'

let world: World
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'accept-encoding': 'gzip, br',
}

beforeAll(async () => {
  world = await World.create({ tenants: 1, isConnected: false })
})

afterAll(() => world.stop())

const get = (path: string, headers: Record<string, string> = BROWSER): Promise<Response> =>
  fetch(world.url + path, { headers })

const assetOf = async (pattern: RegExp): Promise<string> =>
  pattern.exec(await (await get('/')).text())?.[1] ?? ''

describe('the page of the console', () => {
  test.each(['/', '/inbox', '/inbox/0190-0000?view=mine', '/settings/people', '/login'])(
    'is at %s',
    async (path) => {
      const page = await get(path)
      expect(page.status).toBe(200)
      expect(page.headers.get('content-type')).toStartWith('text/html')
      expect(page.headers.get('cache-control')).toBe('no-cache')
      expect(await page.text()).toContain('<div id="root"></div>')
    },
  )

  test('allows scripts and styles of this server only, and the features it uses', async () => {
    const { headers } = await get('/')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    expect(policy).toEndWith("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    const features = headers.get('permissions-policy') ?? ''
    expect(features).toContain('microphone=(self)')
    expect(features).toContain('camera=()')
    expect((await get('/docs')).headers.get('permissions-policy')).toContain('microphone=()')
  })

  test('is not sent again while it is the same', async () => {
    const etag = (await get('/')).headers.get('etag') ?? ''
    const again = await get('/inbox', { ...BROWSER, 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test.each(['/api/nope', '/assets/nope.js', '/link-pages/nope', '/metrics/nope'])(
    'is not at %s',
    async (path) => {
      const answer = await get(path)
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ status: 'error', code: 'route_not_found' })
    },
  )

  test('is for browsers only', async () => {
    const answer = await get('/inbox', { accept: 'application/json' })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'route_not_found' })
  })
})

describe('a file of the console', () => {
  test('is sent compressed, once and for all', async () => {
    const path = await assetOf(/src="(\/assets\/[^"]+\.js)"/)
    const file = await get(path)
    expect(file.headers.get('content-encoding')).toBe('gzip')
    expect(file.headers.get('content-type')).toStartWith('text/javascript')
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await file.text()).length).toBeGreaterThan(1_024)
  })

  test('is sent plain to clients that take nothing else', async () => {
    const path = await assetOf(/href="(\/assets\/[^"]+\.css)"/)
    const file = await get(path, { 'accept-encoding': 'gzip;q=0' })
    expect(file.headers.get('content-encoding')).toBeNull()
    expect(await file.text()).toContain('--accent')
  })
})
