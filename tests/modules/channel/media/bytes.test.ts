import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Loose } from '../../../support/client'
import { fetchRaw, upload } from '../../../support/files'
import { World } from '../../../support/world'

let world: World
let id: string

const CONTENT = SAMPLES['application/pdf']
const SIZE = CONTENT.length
const bytesOf = async (response: Response): Promise<string> =>
  Buffer.from(await response.arrayBuffer()).toString('latin1')
const slice = (from: number, to: number): string =>
  Buffer.from(CONTENT.slice(from, to)).toString('latin1')

beforeAll(async () => {
  world = await World.create()
  id = (
    await upload(await world.as('agent'), {
      bytes: CONTENT,
      type: 'application/pdf',
      name: 'Preisliste "ä".pdf',
    })
  ).data['id'] as string
})

afterAll(() => world.stop())

const get = async (headers: Record<string, string> = {}, query = ''): Promise<Response> =>
  fetchRaw(await world.as('agent'), `/api/media/${id}${query}`, headers)

describe('the bytes of a file', () => {
  test('are served whole with caching headers', async () => {
    const response = await get()
    const { sha256 } = (await (await world.as('agent')).get(`/api/media/${id}/info`)).data
    expect(response.status).toBe(200)
    expect(await bytesOf(response)).toBe(slice(0, SIZE))
    expect(Object.fromEntries(response.headers)).toMatchObject({
      etag: `"${sha256}"`,
      'accept-ranges': 'bytes',
      'content-length': String(SIZE),
      'content-type': 'application/pdf',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': `inline; filename="Preisliste ___.pdf"; filename*=UTF-8''Preisliste%20%22%C3%A4%22.pdf`,
    })
  })

  test('download=1 makes browsers save the file', async () => {
    expect((await get({}, '?download=1')).headers.get('content-disposition')).toStartWith(
      'attachment; filename=',
    )
    expect((await get({}, '?download=0')).headers.get('content-disposition')).toStartWith(
      'inline; filename=',
    )
    expect((await get({}, '?download=yes')).status).toBe(400)
  })

  test.each([
    ['bytes=0-4', 0, 5],
    ['bytes=5-', 5, SIZE],
    ['bytes=-6', SIZE - 6, SIZE],
    [`bytes=-${SIZE * 10}`, 0, SIZE],
    [`bytes=3-${SIZE * 10}`, 3, SIZE],
    [`bytes=${SIZE - 1}-`, SIZE - 1, SIZE],
    ['bytes = 1 - 1', 1, 2],
  ])('Range %s is 206 with bytes %d to %d', async (range, from, to) => {
    const response = await get({ range })
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${SIZE}`)
    expect(response.headers.get('content-length')).toBe(String(to - from))
    expect(await bytesOf(response)).toBe(slice(from, to))
  })

  test.each([
    'bytes=4-2',
    'bytes=a-b',
    'bytes=',
    'bytes=-',
    'items=0-1',
    'bytes=0-1,3-4',
    '0-4',
    `bytes=${'9'.repeat(30)}-`,
  ])('the Range %p is ignored', async (range) => {
    const response = await get({ range })
    expect(response.status).toBe(200)
    expect(await bytesOf(response)).toBe(slice(0, SIZE))
  })

  test.each([`bytes=${SIZE}-`, `bytes=${SIZE + 5}-${SIZE + 9}`, 'bytes=-0'])(
    'the Range %p is 416',
    async (range) => {
      const response = await get({ range })
      expect(response.status).toBe(416)
      expect(response.headers.get('content-range')).toBe(`bytes */${SIZE}`)
      expect(await bytesOf(response)).toBe('')
    },
  )

  test('If-None-Match with the tag is 304 without bytes, with another one 200; it counts more than Range', async () => {
    const etag = (await get()).headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await get({ 'if-none-match': known, range: 'bytes=0-1' })
      expect({ known, status: response.status }).toEqual({ known, status: 304 })
      expect(response.headers.get('etag')).toBe(etag)
      expect(await bytesOf(response)).toBe('')
    }
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('If-Range with another tag gives the whole file', async () => {
    const etag = (await get()).headers.get('etag') ?? ''
    expect((await get({ range: 'bytes=0-1', 'if-range': etag })).status).toBe(206)
    expect((await get({ range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200)
  })

  test.each([
    ['image/jpeg', 'inline'],
    ['image/png', 'inline'],
    ['image/webp', 'inline'],
    ['video/mp4', 'inline'],
    ['audio/ogg; codecs=opus', 'inline'],
    ['application/pdf', 'inline'],
    ['text/plain', 'attachment'],
  ] as const)('%s is answered %s', async (type, handling) => {
    const agent = await world.as('agent')
    const { data } = await upload(agent, { bytes: SAMPLES[type], type, name: 'a' })
    const response = await fetchRaw(agent, `/api/media/${data['id']}`)
    expect(response.headers.get('content-disposition')).toBe(`${handling}; filename="a"`)
  })

  test.each([
    ['<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'image/svg+xml'],
    ['<!DOCTYPE html><script>alert(1)</script>', 'text/html'],
    ['%PDX', 'application/x-msdownload'],
  ])('%p is never shown by a browser', async (text, type) => {
    const agent = await world.as('agent')
    const { data } = await upload(agent, {
      bytes: new TextEncoder().encode(text),
      type,
      name: 'a.html',
    })
    const response = await fetchRaw(agent, `/api/media/${data['id']}`)
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="a.html"')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('HEAD answers the same without bytes', async () => {
    const response = await fetch(`${world.url}/api/media/${id}`, {
      method: 'HEAD',
      headers: (await world.as('agent')).headers,
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('etag')).toBe((await get()).headers.get('etag'))
  })
})

describe('the API description', () => {
  const told = async (path: string): Promise<Loose> =>
    ((await (await fetch(`${world.url}/openapi.json`)).json()) as Loose)['paths'][path]['get'][
      'responses'
    ] as Loose

  test.each(['image/jpeg', 'text/plain', 'audio/mpeg', 'video/mp4', 'application/pdf'])(
    'tells that bytes may be %s',
    async (type) => {
      for (const path of ['/api/media/{id}', '/api/media/signed/{token}'])
        for (const status of ['200', '206']) {
          const types = Object.keys((await told(path))[status]['content'] as object)
          expect(types).toContain(type.replace(/\/.*/, '/*'))
        }
    },
  )

  test('documents 431 for a link that is too long', async () => {
    const { status } = await fetchRaw(world.anyone, `/api/media/signed/${'x'.repeat(20_000)}`)
    expect(status).toBe(431)
    expect(await told('/api/media/signed/{token}')).toHaveProperty('431')
  })
})

describe('a link', () => {
  const linkOf = async (body?: unknown): Promise<URL> =>
    new URL(
      String((await (await world.as('agent')).post(`/api/media/${id}/link`, body)).data['url']),
    )
  const open = (link: URL, headers: Record<string, string> = {}): Promise<Response> =>
    fetchRaw(world.anyone, link.pathname + link.search, headers)

  test('opens the file without a credential, for ten minutes unless said otherwise', async () => {
    const { data } = await (await world.as('agent')).post(`/api/media/${id}/link`)
    expect(Date.parse(data['expires_at'] as string) - world.clock.nowMs()).toBe(600_000)
    expect(String(data['url'])).toStartWith(world.config.baseUrl)
    const link = new URL(String(data['url']))
    const response = await open(link)
    expect(response.status).toBe(200)
    expect(await bytesOf(response)).toBe(slice(0, SIZE))
    expect((await open(link, { range: 'bytes=0-1' })).status).toBe(206)
    expect(link.href).not.toContain(id)
  })

  test.each([[59], [3_601], ['600'], [1.5]])('a ttl of %p is refused', async (ttl) => {
    expect((await (await world.as('agent')).post(`/api/media/${id}/link`, { ttl })).status).toBe(
      400,
    )
  })

  test('expires', async () => {
    const link = await linkOf({ ttl: 60 })
    expect((await open(link)).status).toBe(200)
    world.clock.advance({ seconds: 61 })
    const late = await open(link)
    expect({ status: late.status, code: ((await late.json()) as { code: string }).code }).toEqual({
      status: 401,
      code: 'invalid_link',
    })
  })

  test('ends with the session of its creator', async () => {
    const person = await world.signIn(world.emailOf('manager', world.tenant))
    const link = new URL(String((await person.post(`/api/media/${id}/link`)).data['url']))
    expect((await open(link)).status).toBe(200)
    await person.post('/api/auth/logout-all')
    expect((await open(link)).status).toBe(401)
  })

  test('ends with the key it was made with', async () => {
    const admin = await world.as('admin')
    const key = await admin.post('/api/api-keys', {
      name: 'pictures',
      permissions: ['messages:read', 'messages:create', 'contacts:read'],
    })
    expect(key.status).toBe(201)
    const program = world.anyone.with({ 'x-api-key': String(key.data['key']) })
    const own = await upload(program, { bytes: CONTENT, type: 'application/pdf' })
    const link = new URL(
      String((await program.post(`/api/media/${own.data['id']}/link`)).data['url']),
    )
    expect((await open(link)).status).toBe(200)
    await admin.delete(`/api/api-keys/${key.data['id']}`)
    expect((await open(link)).status).toBe(401)
  })

  test('is rejected if made up or modified', async () => {
    const link = await linkOf()
    const broken = new URL(link)
    const at = broken.pathname.length - 30
    const letter = broken.pathname.charAt(at) === 'A' ? 'B' : 'A'
    broken.pathname = broken.pathname.slice(0, at) + letter + broken.pathname.slice(at + 1)
    for (const url of [
      broken,
      new URL('/api/media/signed/x', link),
      new URL('/api/media/signed/a.b.c.d', link),
    ])
      expect((await open(url)).status).toBe(401)
  })
})
