import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Customer } from '../../src/simulator/customers'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

describe.skipIf(CHROMIUM === null)('a start of the console', () => {
  let live: LiveWorld
  let ana: Customer

  beforeAll(async () => {
    live = await LiveWorld.create()
    ana = live.world.simulator.customer({ phone: live.world.tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Are you open today?')
    await live.world.settle()
  }, 60_000)

  afterAll(() => live.stop())

  /** Reloads the page, waits until events arrive, and returns what it asked the server for. */
  const startOf = async ({ page, requests }: Journey): Promise<string[]> => {
    const before = requests.length
    const opened = page.waitForEvent('websocket')
    await page.reload()
    const socket = await opened
    await socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes('ready'))
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).waitFor()
    await page.getByRole('button', { name: 'Notifications' }).waitFor()
    await page.waitForLoadState('networkidle')
    return requests.slice(before)
  }

  test('takes two requests, and everything stays live', async () => {
    const journey = await live.open()
    await journey.signIn('admin')
    await journey.page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).waitFor()
    expect(await startOf(journey)).toEqual(['POST /api/auth/refresh', 'GET /api/me/report'])
    await ana.says('Or tomorrow?')
    await journey.page.getByRole('listitem').filter({ hasText: 'Or tomorrow?' }).waitFor()
    await journey.finish()
  }, 60_000)

  test('takes as many with an open conversation', async () => {
    const journey = await live.open()
    const { page } = journey
    await journey.signIn('admin')
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).getByRole('link').click()
    await page.getByRole('log').getByText('Are you open today?').waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Ana Sol' })
      .getByText(/unread/)
      .waitFor({ state: 'detached' })
    const id = new URL(page.url()).pathname.split('/').at(-1)
    const asked = await startOf(journey)
    await page.getByRole('log').getByText('Are you open today?').waitFor()
    expect(asked.toSorted()).toEqual([`GET /api/conversations/${id}`, 'POST /api/auth/refresh'])
    await journey.finish()
  }, 60_000)

  test('takes as many requests for an agent', async () => {
    const journey = await live.open()
    await journey.signIn('agent')
    await journey.page.getByRole('button', { name: 'Notifications' }).waitFor()
    await live.world.settle()
    const before = journey.requests.length
    await journey.page.reload()
    await journey.page.getByRole('button', { name: 'Notifications' }).waitFor()
    await journey.page.waitForLoadState('networkidle')
    expect(journey.requests.slice(before)).toEqual(['POST /api/auth/refresh', 'GET /api/me/report'])
    await journey.finish()
  }, 60_000)

  /** Takes all requests that a caller may still make. */
  const useUp = (key: string): void => {
    const { standard } = live.world.program.http.limiters
    while (standard.hit(key)?.isAllowed === true);
  }

  test('that comes too often says so, and goes on by itself', async () => {
    const journey = await live.open({ expected: [/status of 429/] })
    const { page } = journey
    await journey.signIn('admin')
    const row = page.getByRole('listitem').filter({ hasText: 'Ana Sol' })
    await row.waitFor()
    await page.clock.install()
    await page.reload()
    await row.waitFor()
    useUp(`user:${live.world.tenant.userIds.admin}`)
    await row.getByRole('link').click()
    const banner = page.getByText(/You asked too often; it goes on in \d+ s\./)
    await banner.first().waitFor()
    await journey.picture('too-often')
    live.world.clock.advance({ minutes: 2 })
    await page.clock.fastForward(61_000)
    await page.getByRole('log').getByText('Are you open today?').waitFor()
    await banner.waitFor({ state: 'detached' })
    await page.getByText('No connection').waitFor({ state: 'detached' })
    await journey.finish()
  }, 60_000)

  test('before a session says so, too', async () => {
    const journey = await live.open({ expected: [/status of 429/] })
    const { page } = journey
    await journey.signIn('admin')
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).waitFor()
    await page.clock.install()
    useUp('address:127.0.0.1')
    await page.reload()
    await page.getByText(/You asked too often; it goes on in \d+ s\./).waitFor()
    live.world.clock.advance({ minutes: 2 })
    await page.clock.fastForward(61_000)
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).waitFor()
    await journey.finish()
  }, 60_000)
})
