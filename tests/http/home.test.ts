import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

import { SOURCES as PAGES } from '../../src/http/docs/pages'
import { World } from '../support/world'

let world: World

beforeAll(async () => {
  world = await World.create({ isConnected: false })
})

afterAll(() => world.stop())

/** What browsers ask for when an address is opened. */
const OF_BROWSERS =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

const open = (path: string, accept = OF_BROWSERS): Promise<Response> =>
  fetch(world.url + path, { headers: { accept } })

describe('the root URL of the server', () => {
  test('has no broken links', async () => {
    for (const path of ['/', '/docs/write-a-bot']) {
      const page = await (await open(path)).text()
      const links = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(
        ([, link = '']) => new URL(link, world.url + path),
      )
      expect(links.length).toBeGreaterThan(0)
      for (const { origin, pathname } of links.filter(
        (link) => link.origin === new URL(world.url).origin,
      ))
        expect({ origin, pathname, status: (await open(pathname)).status }).toMatchObject({
          status: 200,
        })
    }
  })

  test.each([undefined, '', '*/*', 'text/plain', 'text/htmlx', 'text/html;q=0'])(
    'tells where everything is to a client that accepts %p',
    async (accept) => {
      const response = await fetch(
        `${world.url}/`,
        accept === undefined ? {} : { headers: { accept } },
      )
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/plain;charset=utf-8',
      ])
      const lines = (await response.text()).trimEnd().split('\n')
      expect(lines[0]).toBe('Switchboard')
      const paths = lines.slice(1).map((line) => line.trim().split(/ +/)[1] ?? '')
      expect(paths).toEqual(['/', '/api', '/docs', '/openapi.json', '/health'])
      for (const path of paths.filter((each) => each !== '/api'))
        expect((await open(path)).status).toBe(200)
    },
  )

  test('tells it as JSON to programs, and answers HEAD', async () => {
    for (const accept of ['application/json', 'application/json, text/html;q=0']) {
      const response = await fetch(`${world.url}/`, { headers: { accept } })
      expect([response.status, await response.json()]).toEqual([
        200,
        {
          status: 'success',
          data: {
            ...{ name: 'Switchboard', console: '/', api: '/api' },
            ...{ docs: '/docs', openapi: '/openapi.json', health: '/health' },
          },
        },
      ])
    }
    for (const accept of ['*/*', OF_BROWSERS])
      expect((await fetch(world.url, { method: 'HEAD', headers: { accept } })).status).toBe(200)
  })

  test('is 404 for every other method, also in a browser', async () => {
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect(
        (await fetch(`${world.url}/`, { method, headers: { accept: OF_BROWSERS } })).status,
      ).toBe(404)
  })
})

describe('what browsers and search engines ask for', () => {
  test('robots.txt keeps search engines out', async () => {
    const response = await fetch(`${world.url}/robots.txt`)
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      ...[200, 'text/plain;charset=utf-8', 'User-agent: *\nDisallow: /\n'],
    ])
  })

  test('favicon.ico is the icon of the console', async () => {
    const accept = 'image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8'
    const response = await fetch(`${world.url}/favicon.ico`, { headers: { accept } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(await response.text()).toContain('<svg')
    expect((await open('/docs/integrate')).headers.get('content-security-policy')).toContain(
      "img-src 'self'",
    )
  })

  test.each([
    ['/inbx', '/inbox', './'],
    ['/Setings', '/settings', './'],
    ['/doc', '/docs', './'],
    ['/changelog', null, './'],
    ['/helth', '/health', './'],
    ['/docs/nonsense', null, '../'],
    ['/docs/operat', '/docs/operate', '../'],
    ['/docs/reference/contact', '/docs/reference/contacts', '../../'],
    ['/<script>alert(1)</script>', null, './'],
    ['/../../etc/passwd', null, './'],
  ])('a typing error such as %s gets a page that says so', async (path, meant, root) => {
    const response = await open(path)
    const page = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'text/html;charset=utf-8',
    ])
    expect(page).toContain('<h1>Page not found</h1>')
    expect(page).not.toContain('<script')
    expect(/Did you mean <a href="([^"]+)">([^<]+)<\/a>/.exec(page)?.slice(1)).toEqual(
      meant === null ? undefined : [`${root}${meant.slice(1)}`, meant],
    )
    for (const [, link = ''] of page.matchAll(/href="([^"]+)"/g))
      expect({
        link,
        status: (await open(new URL(link, world.url + path).pathname)).status,
      }).toEqual({
        link,
        status: 200,
      })
    const program = await fetch(world.url + path, { headers: { accept: 'application/json' } })
    expect([program.status, await program.json()]).toMatchObject([404, { code: 'route_not_found' }])
  })

  test('the paths of the console are those of its router', async () => {
    const router = readFileSync(join(import.meta.dir, '../../src/console/app/router.tsx'), 'utf8')
    const words = [...router.matchAll(/path: '\/([a-z][\w/-]*)/g)].map(([, word = '']) => word)
    expect(words.length).toBeGreaterThan(5)
    for (const word of words) {
      const page = await open(`/${word}`)
      // add it to PAGES in src/http/console.ts
      expect({ word, status: page.status }).toEqual({ word, status: 200 })
      expect(await page.text()).toContain('<div id="root">')
    }
  })
})

describe('pages', () => {
  test('are there for the changelog, the architecture and every decision', async () => {
    const decisions = readdirSync(join(import.meta.dir, '../../src/decisions'))
    const guides = readdirSync(join(import.meta.dir, '../../src/docs'))
    const paths = [
      ...['/docs/changelog', '/docs/architecture', '/docs/decisions'],
      ...decisions.map((name) => `/docs/decisions/${name.replace(/\.md$/, '')}`),
      ...guides.filter((name) => name.endsWith('.md')).map((name) => `/docs/${name.slice(0, -3)}`),
    ]
    expect(paths.length).toBeGreaterThan(20)
    const listed = await (await open('/docs/decisions')).text()
    for (const path of paths) {
      expect({ path, status: (await open(path)).status }).toEqual({ path, status: 200 })
      if (path.startsWith('/docs/decisions/'))
        expect(listed).toContain(`href="${path.slice('/docs/'.length)}"`)
    }
    const reference = await (await open('/docs')).text()
    for (const name of ['changelog', 'architecture', 'decisions'])
      expect(reference).toContain(`href="docs/${name}"`)
    expect(await (await open('/docs/architecture')).text()).not.toContain('README.md"')
  })

  test('are sent compressed, and not again while they are the same', async () => {
    for (const path of [
      '/docs/operate',
      '/home.css',
      '/docs/swagger-ui-bundle.js',
      '/docs/swagger-ui.css',
      '/docs/site.js',
      '/docs/search-index.js',
      '/docs/reference',
    ]) {
      const get = (headers: Record<string, string>): Promise<Response> =>
        fetch(world.url + path, { decompress: false, headers })
      const [plain, small] = [
        await get({ 'accept-encoding': 'identity' }),
        await get({ 'accept-encoding': 'gzip' }),
      ]
      const etag = small.headers.get('etag') ?? ''
      expect({ path, coding: small.headers.get('content-encoding') }).toEqual({
        path,
        coding: 'gzip',
      })
      expect(etag).toMatch(/^"\w+"$/)
      expect(plain.headers.get('etag')).toBe(etag)
      expect(small.headers.get('vary')).toContain('accept-encoding')
      const text = await plain.text()
      expect(gunzipSync(await small.arrayBuffer()).toString() === text).toBe(true)
      const again = await get({ 'if-none-match': `W/${etag}` })
      expect([again.status, await again.text()]).toEqual([304, ''])
      expect((await get({ 'if-none-match': '"another"' })).status).toBe(200)
    }
  })

  test.each(PAGES.map(({ name }) => `/docs/${name}`))(
    '%s has a language, a title and a heading, and loads nothing from elsewhere',
    async (path) => {
      const response = await open(path)
      const page = await response.text()
      for (const words of ['<html lang="en">', '<title>', '<main id="main">', '<h1'])
        expect(page).toContain(words)
      expect(page.match(/<h1/g)).toHaveLength(1)
      expect(page).not.toMatch(/<script(?! src=)|\son\w+=|<style|\sstyle=/)
      expect(response.headers.get('content-security-policy')?.split('; ').toSorted()).toEqual([
        "base-uri 'none'",
        "default-src 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "img-src 'self'",
        "object-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
      ])
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    },
  )

  test('link to existing pages and headings', async () => {
    const broken: string[] = []
    const asked = new Map<string, Promise<string | null>>()
    const ask = async (path: string): Promise<string | null> => {
      const answer = await open(path)
      return answer.ok ? await answer.text() : null
    }
    for (const path of ['/', ...PAGES.map(({ name }) => `/docs/${name}`)]) {
      const page = await (await open(path)).text()
      for (const [, link = ''] of page.matchAll(/href="([^"]+)"/g)) {
        if (link.startsWith('https:')) continue
        const target = new URL(link, `${world.url}${path}`)
        const text = await (asked.get(target.pathname) ??
          asked.set(target.pathname, ask(target.pathname)).get(target.pathname))
        const id = decodeURIComponent(target.hash.slice(1))
        if (!text || (id !== '' && !text.includes(`id="${id}"`))) broken.push(`${path} → ${link}`)
      }
    }
    expect(broken).toEqual([])
  })

  test('are 404 for an unknown guide', async () => {
    for (const path of [
      '/docs/nothing',
      '/docs/write-a-bot.md',
      '/docs/..%2fpackage.json',
      '/docs/write-a-bot/more',
    ])
      expect({ path, status: (await open(path)).status }).toEqual({ path, status: 404 })
  })
})
