import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { GUIDES } from '../../src/http/guides'
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

  test.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'application/json, text/html;q=0',
    'text/htmlx',
  ])('is 404 in the envelope for a client that accepts %p', async (accept) => {
    const response = await fetch(
      `${world.url}/`,
      accept === undefined ? {} : { headers: { accept } },
    )
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      status: 'error',
      data: null,
      message: 'There is no endpoint with this method and path. See `/docs` for all endpoints.',
      code: 'route_not_found',
    })
  })

  test('is 404 for every other method, also in a browser', async () => {
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect(
        (await fetch(`${world.url}/`, { method, headers: { accept: OF_BROWSERS } })).status,
      ).toBe(404)
  })
})

describe('pages', () => {
  test.each(GUIDES.map(({ name }) => `/docs/${name}`))(
    '%s has a language, a title and a heading, and loads nothing from elsewhere',
    async (path) => {
      const response = await open(path)
      const page = await response.text()
      for (const words of ['<html lang="en">', '<title>', '<main>', '<h1'])
        expect(page).toContain(words)
      expect(page.match(/<h1/g)).toHaveLength(1)
      expect(page).not.toMatch(/<script|\son\w+=|<style|\sstyle=/)
      expect(response.headers.get('content-security-policy')?.split('; ').toSorted()).toEqual([
        "base-uri 'none'",
        "default-src 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "object-src 'none'",
        "style-src 'self'",
      ])
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    },
  )

  test('link to existing pages and headings', async () => {
    const broken: string[] = []
    for (const path of ['/', ...GUIDES.map(({ name }) => `/docs/${name}`)]) {
      const page = await (await open(path)).text()
      for (const [, link = ''] of page.matchAll(/href="([^"]+)"/g)) {
        if (link.startsWith('https:')) continue
        const target = new URL(link, `${world.url}${path}`)
        const answer = await open(target.pathname)
        const isThere =
          answer.ok &&
          (target.hash === '' || (await answer.text()).includes(`id="${target.hash.slice(1)}"`))
        if (!isThere) broken.push(`${path} → ${link}`)
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
