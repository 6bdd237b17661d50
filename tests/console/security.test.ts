import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'

/** The beginning of a JSON Web Token, and of a refresh token. */
const TOKEN = /eyJ[\w-]{10,}|swr_[\w-]{10,}/
/** How this device shows the console; says nothing about who used it. */
const OF_DEVICE = ['panel', 'preferences']

/** Everything that scripts of the page can find again: storage, addresses, cookies. */
const KEPT = `(async () => {
  const databases = await indexedDB.databases()
  return {
    local: { ...localStorage },
    session: { ...sessionStorage },
    cookie: document.cookie,
    addresses: [location.href, ...performance.getEntriesByType('resource').map(({ name }) => name)],
    databases: databases.map(({ name }) => name),
    caches: await caches.keys(),
  }
})()`

interface Kept {
  local: Record<string, string>
  databases: string[]
  caches: string[]
}

describe.skipIf(CHROMIUM === null)('what the console keeps', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { simulator, tenant } = live.world
    await simulator.customer({ phone: tenant.phoneId, name: 'Ana Sol' }).says('Hello')
  }, 60_000)

  afterAll(() => live.stop())

  test('holds no token, and nothing of the person after signing out', async () => {
    const journey = await live.open({ expected: [/ERR_FAILED/, /ERR_CONNECTION/] })
    const { page } = journey
    await journey.signIn('admin')
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).getByRole('link').click()
    const field = page.getByRole('textbox', { name: 'Message' })
    // one message that cannot be sent, and a draft
    await page.route('**/api/conversations/*/messages', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await field.fill('kept until it can be sent')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('kept until it can be sent').waitFor()
    await field.fill('a draft')
    const during = (await page.evaluate(KEPT)) as Kept
    expect(JSON.stringify(during)).not.toMatch(TOKEN)
    expect(Object.keys(during.local).some((name) => name.startsWith('draft/'))).toBe(true)
    expect(during.databases).toEqual(['switchboard-outbox'])

    await page.getByRole('button', { name: /Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const after = (await page.evaluate(KEPT)) as Kept
    expect(Object.keys(after.local).filter((name) => !OF_DEVICE.includes(name))).toEqual([])
    expect(after).toMatchObject({ session: {}, databases: [], caches: [] })
    expect(await page.context().cookies()).toEqual([])
    expect(await page.content()).not.toContain('Ana Sol')
    await page.goBack().catch(() => null)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await journey.finish()
  }, 60_000)

  test('is a page that runs only files of the server', async () => {
    const answer = await fetch(live.url, { headers: { accept: 'text/html' } })
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy.split('; ')).toContain(rule)
    // no other page gets hold of the console, which notices when a window that it opened is closed
    expect(answer.headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups')
    const done = await fetch(`${live.url}/connect/done`, { headers: { accept: 'text/html' } })
    expect(done.headers.get('cross-origin-opener-policy')).toBe('unsafe-none')
    expect(done.headers.get('content-security-policy')).toBe(policy)
    const page = await answer.text()
    expect(page).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\bon\w+=|\bstyle=/)
  })
})
