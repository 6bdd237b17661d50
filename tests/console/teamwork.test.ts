import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Customer } from '../../src/simulator/customers'
import { joinToo } from '../support/people'
import { changeRows } from '../support/sql'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, waitForSound, type Journey } from './support/journey'
import { Relay } from './support/relay'

/** Conversations opened one after the other; 60 in `test:long`. */
const OPENED = Number(process.env['CONSOLE_OPENED'] ?? 12)
/** Requests that a person may make in a minute. */
const PER_MINUTE = 100

describe.skipIf(CHROMIUM === null)('people who work together', () => {
  let live: LiveWorld
  let relay: Relay
  let ana: Customer
  let admin: Journey
  let manager: Journey

  beforeAll(async () => {
    live = await LiveWorld.create({ tenants: 2 })
    const { world } = live
    relay = new Relay(Number(new URL(world.url).port))
    ana = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Are you open today?')
    joinToo(world, world.tenant.userIds.admin, world.tenants[1] ?? world.tenant, 'admin')
    admin = await live.open({
      baseURL: relay.url,
      expected: [/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET|WebSocket/, /status of 40[49]/],
    })
    manager = await live.open({ expected: [/status of 409/] })
    await Promise.all([admin.signIn('admin'), manager.signIn('manager')])
  }, 60_000)

  afterAll(async () => {
    await live.stop()
    relay.cut()
  })

  const rowOf = (page: Page, name: string): Locator =>
    page.getByRole('listitem').filter({ hasText: name }).getByRole('link')
  const bubbleOf = (page: Page, words: string): Locator =>
    page.getByRole('log').getByRole('article').filter({ hasText: words })
  const field = (page: Page): Locator => page.getByRole('textbox', { name: 'Message' })
  const open = async (page: Page, name: string): Promise<void> => {
    await rowOf(page, name).click()
    await page.locator('.thread-head h2', { hasText: name }).waitFor()
  }

  test('see each other, and are asked before a second answer', async () => {
    await Promise.all([open(admin.page, 'Ana Sol'), open(manager.page, 'Ana Sol')])
    await field(admin.page).fill('Yes, we are.')
    await rowOf(manager.page, 'Ana Sol')
      .getByRole('img', { name: /Acme admin is/ })
      .waitFor()
    await field(manager.page).pressSequentially('Until six')
    await admin.page.locator('.composer').getByText('Acme manager is answering').waitFor()
    await manager.page.keyboard.press('Enter')
    await bubbleOf(admin.page, 'Until six').waitFor()
    await field(admin.page).press('Enter')
    await admin.page.getByText('Acme manager answered meanwhile.').waitFor()
    await admin.requireAccessible()
    await admin.picture('collision')
    expect(await bubbleOf(admin.page, 'Yes, we are.').count()).toBe(0)
    await field(admin.page).press('Enter')
    await bubbleOf(manager.page, 'Yes, we are.').waitFor()
  }, 60_000)

  test('take a conversation over once, although both try', async () => {
    /** Chooses the command, which is gone once somebody has the conversation. */
    const choose = async ({ page }: Journey): Promise<void> => {
      await page.keyboard.press('Control+k')
      const commands = page.getByRole('dialog', { name: 'Commands' })
      await commands.getByRole('searchbox').and(page.locator(':focus')).waitFor()
      await page.keyboard.type('take over')
      const command = commands.getByRole('menuitem', { name: 'Take over' })
      while ((await command.getAttribute('data-focused')) === null)
        await page.keyboard.press('ArrowDown')
    }
    await Promise.all([choose(admin), choose(manager)])
    // the first request waits for the other, which the event of its success would prevent
    let asked = 0
    const bothAsked = Promise.withResolvers<undefined>()
    for (const { page } of [admin, manager])
      await page.route('**/claim', async (route) => {
        asked += 1
        if (asked === 2) bothAsked.resolve(undefined)
        await bothAsked.promise
        await route.continue()
      })
    await Promise.all([admin, manager].map(({ page }) => page.keyboard.press('Enter')))
    // Whoever was later is told in their own page; the question ends in both pages once one shows it.
    const refused = (): Promise<string | undefined> =>
      Promise.all(
        [admin, manager].map(({ page }) => page.getByText(/already assigned to/).allInnerTexts()),
      ).then((texts) => texts.flat()[0])
    let refusal = await refused()
    while (refusal === undefined) {
      await admin.page.waitForTimeout(50)
      refusal = await refused()
    }
    const [, owner = ''] = /already assigned to (Acme \w+)/.exec(refusal) ?? []
    const { data } = await (await live.world.as('admin')).get('/api/conversations')
    const [conversation] = data['items'] as { assigned_user: { full_name: string } | null }[]
    expect(conversation?.assigned_user?.full_name).toBe(owner)
  }, 60_000)

  test('leave a conversation unread while it stays open', async () => {
    const { page } = admin
    await page.locator('.rows').click({ position: { x: 5, y: 400 } })
    await page.keyboard.press('u')
    await rowOf(page, 'Ana Sol').getByText('1 unread message').waitFor()
    await page.waitForTimeout(2_500) // longer than what is seen takes to count as read
    expect(await rowOf(page, 'Ana Sol').getByText('1 unread message').count()).toBe(1)
    await ana.says('Still there?')
    await rowOf(page, 'Ana Sol')
      .getByText(/unread/)
      .waitFor({ state: 'detached' })
  }, 60_000)

  test('send a recording after they heard it', async () => {
    const { page } = manager
    await page.getByRole('button', { name: 'Record a voice message' }).click()
    await page.getByRole('meter', { name: 'Loudness' }).waitFor()
    await waitForSound(page)
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await page.locator('.voice .player').waitFor()
    await page.getByRole('button', { name: 'Send recording' }).click()
    const recording = page
      .getByRole('log')
      .getByRole('article')
      .filter({ has: page.locator('.player') })
    await recording.getByRole('img', { name: /Sent|Delivered|Read/ }).waitFor()
  }, 60_000)

  test('lose nothing that they type while the server restarts', async () => {
    const { page } = admin
    await field(page).fill('The first half ')
    relay.cut()
    await field(page).press('End')
    await page.keyboard.type('and the second')
    await page.getByRole('status').filter({ hasText: 'No connection' }).waitFor()
    await ana.says('said meanwhile')
    await page.keyboard.press('Enter')
    relay.restore()
    await bubbleOf(page, 'said meanwhile').waitFor()
    await bubbleOf(page, 'The first half and the second')
      .getByRole('img', { name: /Sent|Delivered|Read/ })
      .waitFor()
    for (const words of ['said meanwhile', 'The first half and the second'])
      expect(await bubbleOf(page, words).count()).toBe(1)
  }, 60_000)

  test('keep drafts apart by organization', async () => {
    const { page } = admin
    await field(page).fill('for Acme only')
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: /Your account/ }).click()
      await page.getByRole('menuitemradio', { name }).click()
    }
    const address = page.url()
    const colorOf = () =>
      page.evaluate(
        "getComputedStyle(document.querySelector('.rail-brand .organization')).backgroundColor",
      )
    const before = await colorOf()
    await choose('Bolt')
    await page.getByText('Nobody is waiting').waitFor()
    expect(await colorOf()).not.toBe(before)
    await page.goto(address)
    await page.getByText('You are in Bolt. If it belongs to another').waitFor()
    await choose('Acme')
    await rowOf(page, 'Ana Sol').getByText('for Acme only').waitFor()
  }, 60_000)

  test('see where an organization is that has moved, and go there', async () => {
    const { world } = live
    const { page } = admin
    const address = `${relay.url}/docs`
    changeRows(
      world.program.http.db.sqlite,
      "update organizations set state = 'moved', deletes_at_ms = 1e15, moved_to = ? where id = ?",
      [address, world.other.id],
    )
    await page.reload()
    await page.getByRole('button', { name: /Your account/ }).click()
    await page
      .getByRole('menuitemradio', { name: `Bolt moved to ${new URL(address).host}` })
      .click()
    await page.waitForURL(address)
    await admin.finish()
  }, 60_000)

  test('open conversation after conversation within their limit', async () => {
    const { world } = live
    // two digits: no name is the beginning of another
    const nameOf = (nth: number): string => `Nth ${String(nth).padStart(2, '0')}`
    for (let nth = 0; nth < OPENED; nth += 1)
      await world.simulator
        .customer({ phone: world.tenant.phoneId, name: nameOf(nth) })
        .says(`words of ${nameOf(nth)}`)
    const { page } = manager
    await rowOf(page, nameOf(OPENED - 1)).waitFor()
    const before = manager.requests.length
    for (let nth = OPENED - 1; nth >= 0; nth -= 1) {
      await rowOf(page, nameOf(nth)).click()
      await bubbleOf(page, `words of ${nameOf(nth)}`).waitFor()
    }
    expect(manager.requests.length - before).toBeLessThan((OPENED * PER_MINUTE) / 60)
    await manager.finish()
  }, 120_000)
})
