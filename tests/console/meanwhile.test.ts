import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Customer } from '../../src/simulator/customers'
import { changeRows } from '../support/sql'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

/** More messages than a page of a thread has. */
const MESSAGES = 70
/** Longer than what is seen takes to count as read, milliseconds. */
const SEEN_MS = 2_000

describe.skipIf(CHROMIUM === null)('what happens meanwhile', () => {
  let live: LiveWorld
  let ana: Customer
  let ben: Customer
  let journey: Journey
  let page: Page

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { simulator, tenant } = live.world
    ana = simulator.customer({ phone: tenant.phoneId, name: 'Ana Sol' })
    ben = simulator.customer({ phone: tenant.phoneId, name: 'Ben Roe' })
    for (let nth = 0; nth < MESSAGES; nth += 1) await ana.says(`words ${nth}`)
    await ben.says('Are you open today?')
    const expected = [/status of 404/, /ERR_FAILED/, /ERR_INTERNET_DISCONNECTED/, /WebSocket/]
    journey = await live.open({ expected })
    page = journey.page
    await journey.signIn('admin')
  }, 60_000)

  afterAll(() => live.stop())

  const rowOf = (name: string): Locator =>
    page.getByRole('listitem').filter({ hasText: name }).getByRole('link')
  const bubbleOf = (words: string): Locator =>
    page.getByRole('log').getByRole('article').filter({ hasText: words })
  const unreadOf = (name: string): Locator => rowOf(name).getByText(/unread message/)
  const open = async (name: string): Promise<void> => {
    await rowOf(name).click()
    await page.locator('.thread-head h2', { hasText: name }).waitFor()
  }
  const markUnread = async (): Promise<void> => {
    await page.locator('.rows').click({ position: { x: 5, y: 400 } })
    await page.keyboard.press('u')
  }
  /** Holds back the next answer to a request that the server has answered already. */
  const holdAnswer = async (address: string | RegExp) => {
    const answered = Promise.withResolvers<undefined>()
    const mayArrive = Promise.withResolvers<undefined>()
    await page.route(
      address,
      async (route) => {
        const response = await route.fetch()
        answered.resolve(undefined)
        await mayArrive.promise
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    return { answered: answered.promise, release: () => mayArrive.resolve(undefined) }
  }

  test('a message that comes while its conversation is opened is shown', async () => {
    const held = await holdAnswer(/\/api\/conversations\/[^/]+\?include/)
    await open('Ana Sol')
    await held.answered
    await ana.says('said while opening')
    await rowOf('said while opening').waitFor()
    held.release()
    await bubbleOf('said while opening').waitFor()
  }, 30_000)

  test('a message that comes while older ones are loaded is shown', async () => {
    // opening the conversation needed one request
    expect(journey.requests.filter((one) => one.endsWith('/messages'))).toEqual([])
    const held = await holdAnswer(/\/messages\?.*before=/)
    const scroll = "document.querySelector('.messages').scrollTop = "
    await page.evaluate(`${scroll} 0`)
    await held.answered
    await ana.says('said while scrolling')
    await rowOf('said while scrolling').waitFor()
    const loaded = page.waitForResponse(/before=/)
    held.release()
    await loaded
    await page.evaluate(`${scroll} 0`)
    await bubbleOf('words 10').waitFor()
    await page.evaluate(`${scroll} 1e6`)
    await bubbleOf('said while scrolling').waitFor()
    await unreadOf('Ana Sol').waitFor({ state: 'detached' })
  }, 30_000)

  test('a conversation that cannot be loaded while messages come is no error of the page', async () => {
    const asked = Promise.withResolvers<undefined>()
    const mayArrive = Promise.withResolvers<undefined>()
    await page.route(
      /\/api\/conversations\/[^/]+\?include/,
      async (route) => {
        asked.resolve(undefined)
        await mayArrive.promise
        await route.fulfill({ status: 404, body: '{}' })
      },
      { times: 1 },
    )
    await rowOf('Ben Roe').click()
    await asked.promise
    for (const words of ['one', 'two', 'three']) {
      await ana.says(words)
      await rowOf(words).waitFor()
    }
    mayArrive.resolve(undefined)
    await page.getByText('This does not exist, or you may not see it.').waitFor()
    await open('Ana Sol')
  }, 30_000)

  test('a conversation that cannot be loaded again for now stays as it is', async () => {
    await open('Ana Sol')
    await bubbleOf('three').waitFor()
    await unreadOf('Ana Sol').waitFor({ state: 'detached' })
    const answer = page.getByRole('textbox', { name: 'Message' })
    await answer.fill('half an answer')
    const loads = /\/api\/conversations\/[^/]+\?include/
    await page.route(loads, (route) => route.abort())
    // Everything is loaded again when a person gets another role.
    const owner = await live.world.as('super')
    const { roleIds, userIds } = live.world.tenant
    const change = (user: 'admin' | 'manager', role: 'admin' | 'manager') =>
      owner.put(`/api/users/${userIds[user]}`, { role_id: roleIds[role] })
    await change('manager', 'admin')
    await change('admin', 'manager')
    const failure = page.getByRole('alert').filter({ hasText: 'Try again' })
    await failure.waitFor()
    expect(await bubbleOf('three').count()).toBe(1)
    await ana.says('four')
    await bubbleOf('four').waitFor()
    expect(await failure.count()).toBe(1)
    expect(await answer.inputValue()).toBe('half an answer')
    await page.unroute(loads)
    await failure.getByRole('button').click()
    await failure.waitFor({ state: 'detached' })
    await answer.fill('')
    await change('admin', 'admin')
    await change('manager', 'manager')
  }, 30_000)

  test('what could not be loaded is loaded when the server can be reached again', async () => {
    const loads = /\/api\/conversations\/[^/]+\?include/
    await page.route(loads, (route) => route.abort())
    await page.goto('/inbox')
    await rowOf('Ben Roe').click()
    const failure = page.getByRole('alert').filter({ hasText: 'Try again' })
    await failure.waitFor()
    await page.unroute(loads)
    await page.context().setOffline(true)
    await page.context().setOffline(false)
    await bubbleOf('Are you open today?').waitFor()
    expect(await failure.count()).toBe(0)
  }, 30_000)

  test('what was missed in a conversation that is not on the screen is shown when it is opened', async () => {
    await open('Ben Roe')
    await bubbleOf('Are you open today?').waitFor()
    await open('Ana Sol')
    await bubbleOf('four').waitFor()
    await page.context().setOffline(true)
    await page.getByRole('status').filter({ hasText: 'No connection' }).waitFor()
    await ben.says('Hello? Anybody?')
    await live.world.settle()
    // The server no longer has the events that the page missed.
    const { sqlite } = live.world.program.http.db
    changeRows(sqlite, 'delete from events')
    changeRows(sqlite, 'update event_heads set oldest_seq = seq + 1')
    await page.context().setOffline(false)
    await rowOf('Hello? Anybody?').waitFor()
    await ben.says('Never mind.')
    await rowOf('Never mind.').waitFor()
    await open('Ben Roe')
    await bubbleOf('Never mind.').waitFor()
    await bubbleOf('Hello? Anybody?').waitFor()
  }, 60_000)

  test('marking as unread overrides what was about to count as read', async () => {
    await open('Ben Roe')
    await bubbleOf('Are you open today?').waitFor()
    await markUnread()
    await page.waitForTimeout(SEEN_MS)
    expect(await unreadOf('Ben Roe').count()).toBe(1)
  }, 30_000)

  test('marking as unread overrides a request that is on its way', async () => {
    await open('Ana Sol')
    const sent = Promise.withResolvers<undefined>()
    const mayArrive = Promise.withResolvers<undefined>()
    await page.route(
      /\/read$/,
      async (route) => {
        sent.resolve(undefined)
        await mayArrive.promise
        await route.continue()
      },
      { times: 1 },
    )
    await open('Ben Roe')
    await sent.promise
    await markUnread()
    mayArrive.resolve(undefined)
    await page.waitForTimeout(SEEN_MS)
    expect(await unreadOf('Ben Roe').count()).toBe(1)
  }, 30_000)

  test('a colleague who answers does not make a conversation read', async () => {
    const manager = await live.world.as('manager')
    const { data } = await manager.get('/api/conversations?search=Ben')
    const [{ contact }] = data['items'] as [{ contact: { id: string } }]
    await manager.post(`/api/contacts/${contact.id}/messages`, {
      type: 'text',
      text: 'Until six.',
    })
    await bubbleOf('Until six.').waitFor()
    await page.waitForTimeout(SEEN_MS)
    expect(await unreadOf('Ben Roe').count()).toBe(1)
    await ben.says('Thank you!')
    await unreadOf('Ben Roe').waitFor({ state: 'detached' })
    await journey.finish()
  }, 30_000)
})
