import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Customer } from '../../src/simulator/customers'
import { CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'
import { Relay } from './support/relay'

/** Minutes during which nothing may be asked for. */
const IDLE_MINUTES = Number(process.env['IDLE_MINUTES'] ?? '2')
/** Shorter than the page waits for the answer to a ping. */
const STEP_MS = 6_000

/** Pretends that nobody looks at the tab, and counts sounds and notifications. */
const ALONE = `
document.hasFocus = () => false
globalThis.told = { sounds: 0, notices: [] }
const start = OscillatorNode.prototype.start
OscillatorNode.prototype.start = function (...args) { told.sounds += 1; return start.apply(this, args) }
globalThis.Notification = class extends EventTarget {
  static permission = 'granted'
  constructor(title, { body, tag }) { super(); told.notices.push([title, body, tag]) }
  close() {}
}`

/**
 * Counts in the page itself, at once, the pings that were asked and answered. What the page says about
 * itself stays there: its minutes take a moment of the server's, for which it would say too much.
 */
const PINGS = `
globalThis.pings = { asked: 0, answered: 0, frames: [] }
const send = WebSocket.prototype.send
WebSocket.prototype.send = function (frame) {
  if (String(frame).includes('"presence"')) return
  if (String(frame).includes('"ping"')) {
    if (this.unanswered === undefined) {
      const answer = (count) => {
        pings.answered += count
        this.unanswered -= count
      }
      this.unanswered = 0
      this.addEventListener('message', ({ data }) => {
        pings.frames.push(String(data))
        if (String(data).includes('"pong"')) answer(1)
      })
      // another line does not answer for one that has ended
      this.addEventListener('close', () => answer(this.unanswered))
    }
    pings.asked += 1
    this.unanswered += 1
  }
  return send.call(this, frame)
}`

interface Told {
  sounds: number
  notices: [title: string, body: string, tag: string][]
}

describe.skipIf(CHROMIUM === null)('the line to the server', () => {
  let live: LiveWorld
  let ana: Customer

  beforeAll(async () => {
    live = await LiveWorld.create()
    ana = live.world.simulator.customer({ phone: live.world.tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Are you open today?')
  }, 60_000)

  afterAll(() => live.stop())

  const rowOf = (page: Page, words: string): Locator =>
    page.getByRole('listitem').filter({ hasText: words }).getByRole('link')

  test('brings what happened between the first list and the socket', async () => {
    const journey = await live.open()
    const { page } = journey
    const mayOpen = Promise.withResolvers<undefined>()
    await page.route('**/api/auth/ws-ticket', async (route) => {
      await mayOpen.promise
      await route.continue()
    })
    await journey.signIn('admin')
    await rowOf(page, 'Are you open today?').waitFor()
    await ana.says('said in between')
    await live.world.settle()
    mayOpen.resolve(undefined)
    await rowOf(page, 'said in between').waitFor()
    await journey.finish()
  }, 60_000)

  test('is said to be down after three seconds, however often it is tried', async () => {
    const relay = new Relay(Number(new URL(live.url).port))
    const expected = [/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET|WebSocket/]
    const journey = await live.open({ baseURL: relay.url, expected })
    await journey.signIn('admin')
    await rowOf(journey.page, 'Ana Sol').waitFor()
    relay.cut()
    const banner = journey.page.getByRole('status').filter({ hasText: 'No connection' })
    await banner.waitFor({ timeout: 6_000 })
    relay.restore()
    await banner.waitFor({ state: 'detached' })
    relay.cut()
    await journey.page.context().close()
  }, 60_000)

  test('asks for nothing while nothing happens', async () => {
    const journey = await live.open()
    const { page } = journey
    await page.clock.install()
    await page.addInitScript(PINGS)
    await page.reload()
    await journey.signIn('admin')
    await rowOf(page, 'Ana Sol').click()
    await page.getByRole('log').getByText('Are you open today?').waitFor()
    await page.getByRole('region', { name: 'Notes' }).waitFor()
    await rowOf(page, 'Ana Sol')
      .getByText(/unread/)
      .waitFor({ state: 'detached' })
    const answered = async (): Promise<void> => {
      const latestMs = performance.now() + 20_000
      while (!(await page.evaluate('pings.asked === pings.answered'))) {
        if (performance.now() > latestMs)
          throw new Error(
            `no answer to a ping, but: ${String(await page.evaluate('pings.frames'))}`,
          )
        await Bun.sleep(5)
      }
    }
    const pass = async (minutes: number): Promise<void> => {
      for (let ms = 0; ms < minutes * 60_000; ms += STEP_MS) {
        await page.clock.runFor(STEP_MS)
        // Time that goes on while the server has not answered a ping would cut the line.
        await answered()
      }
    }
    await pass(1) // the conversation is marked as read, and counted
    const before = journey.requests.length
    await pass(IDLE_MINUTES)
    expect(await page.evaluate('pings.asked')).toBeGreaterThan(IDLE_MINUTES)
    expect(journey.requests.slice(before)).toEqual([])
    await journey.finish()
  }, 60_000)

  test('rings once in several tabs, and in another one when the first is closed', async () => {
    const journey = await live.open()
    await journey.page.context().addInitScript(ALONE)
    await journey.page.reload()
    await journey.signIn('admin')
    await journey.page.evaluate(
      "localStorage.setItem('preferences', JSON.stringify({ hasSystemNotices: true }))",
    )
    await journey.page.reload()
    await rowOf(journey.page, 'Ana Sol').waitFor()
    const second = await journey.openTab()
    await rowOf(second, 'Ana Sol').waitFor()
    const toldIn = async (page: Page): Promise<Told> => (await page.evaluate('told')) as Told
    const isLive = (page: Page): Promise<void> => rowOf(page, 'Is anybody there?').waitFor()
    await ana.says('Is anybody there?')
    await Promise.all([isLive(journey.page), isLive(second)])
    const [first, other] = await Promise.all([toldIn(journey.page), toldIn(second)])
    expect([first.sounds, other.sounds]).toEqual([1, 0])
    expect(first.notices).toEqual([
      ['Ana Sol', 'Is anybody there?', expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ])
    expect(other.notices).toEqual([])
    // another message within five seconds makes no sound
    await ana.says('Hello?')
    await rowOf(second, 'Hello?').waitFor()
    await rowOf(journey.page, 'Hello?').waitFor()
    expect(await toldIn(journey.page)).toMatchObject({ sounds: 1, notices: { length: 2 } })
    await journey.page.close()
    const isWaiting = 'navigator.locks.query().then(({ pending }) => pending.length > 0)'
    while (await second.evaluate(isWaiting)) await Bun.sleep(20)
    await ana.says('Nobody?')
    while ((await toldIn(second)).sounds === 0) await Bun.sleep(20)
    await second.context().close()
  }, 60_000)
})
