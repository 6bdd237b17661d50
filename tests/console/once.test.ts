import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Customer } from '../../src/simulator/customers'
import { approvedTemplate } from '../support/templates'
import { CHROMIUM } from './support/chromium'
import { EXPIRED, LiveWorld, type Journey } from './support/journey'

/** Longer than a request that a second click would start takes, milliseconds. */
const SETTLED_MS = 500
/** How late a slow answer is, milliseconds. */
const SLOW_MS = 1_200
/** Time between the clicks of an unhurried double click, milliseconds. */
const UNHURRIED_MS = 250

describe.skipIf(CHROMIUM === null)('what is pressed twice happens once', () => {
  let live: LiveWorld
  let ana: Customer
  let journey: Journey
  let page: Page

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { world } = live
    ana = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Are you open today?')
    await approvedTemplate(world, {
      name: 'still_there',
      components: [{ type: 'BODY', text: 'Your order is ready.' }],
    })
    journey = await live.open({ expected: [EXPIRED, /status of 503/] })
    page = journey.page
    await journey.signIn('admin')
  }, 60_000)

  afterAll(() => live.stop())

  const openAna = async (): Promise<void> => {
    await page.goto('/inbox')
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Ana Sol' })
      .getByRole('link')
      .first()
      .click()
    await page.locator('.thread-head h2', { hasText: 'Ana Sol' }).waitFor()
  }
  const bubbleOf = (words: string): Locator =>
    page.getByRole('log').getByRole('article').filter({ hasText: words })
  const field = (): Locator => page.getByRole('textbox', { name: 'Message' })
  const countOf = (request: RegExp): number =>
    journey.requests.filter((one) => request.test(one)).length
  /** Answers requests to an address late. */
  const slow = (address: RegExp): Promise<unknown> =>
    page.route(address, async (route) => {
      if (route.request().method() === 'GET') {
        await route.continue()
        return
      }
      const response = await route.fetch()
      await page.waitForTimeout(SLOW_MS)
      await route.fulfill({ response })
    })

  test('scheduling a message, which keeps what it answers and what is written next', async () => {
    await openAna()
    const question = bubbleOf('Are you open today?').first()
    await question.hover()
    await question.getByRole('button', { name: 'Reply' }).click()
    await field().fill('From nine on.')
    await slow(/\/api\/scheduled-messages$/)
    const later = page.getByRole('button', { name: 'Send later' })
    await later.click()
    await page.getByRole('menuitem', { name: /Tomorrow/ }).click()
    expect(await field().inputValue()).toBe('')
    expect(await later.isDisabled()).toBe(true)
    expect(await page.locator('.reply-line').count()).toBe(0)
    await field().fill('And also')
    await page
      .getByRole('list', { name: 'Scheduled messages' })
      .getByText('From nine on.')
      .waitFor()
    expect(await field().inputValue()).toBe('And also')
    expect(countOf(/^POST \/api\/scheduled-messages$/)).toBe(1)
    const admin = await live.world.as('admin')
    const { data } = await admin.get('/api/scheduled-messages')
    expect(data['items']).toHaveLength(1)
    expect(JSON.stringify(data['items'])).toContain('"reply_to":"')
    await page.unrouteAll({ behavior: 'wait' })
  }, 60_000)

  test('gives the words back when a message could not be scheduled', async () => {
    await field().fill('')
    const question = bubbleOf('Are you open today?').first()
    await question.hover()
    await question.getByRole('button', { name: 'Reply' }).click()
    await field().fill('On Sundays too.')
    const mayAnswer = Promise.withResolvers<undefined>()
    await page.route(/\/api\/scheduled-messages$/, async (route) => {
      await mayAnswer.promise
      await route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Not now.' } })
    })
    await page.getByRole('button', { name: 'Send later' }).click()
    await page.getByRole('menuitem', { name: /Tomorrow/ }).click()
    await field().fill('Something new')
    mayAnswer.resolve(undefined)
    await page.locator('.reply-line').waitFor()
    expect(await field().inputValue()).toBe('On Sundays too.\nSomething new')
    await page.unrouteAll({ behavior: 'wait' })
    await field().fill('')
    await page.locator('.reply-line').getByRole('button', { name: 'Cancel' }).click()
  }, 60_000)

  /** Loses the answer to the next request to an address, which the server takes. */
  const lose = (address: RegExp): Promise<unknown> =>
    page.route(
      address,
      async (route) => {
        await route.fetch()
        await route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Not now.' } })
      },
      { times: 1 },
    )

  test('sending a failed message again', async () => {
    await openAna()
    live.world.simulator.fail({ code: 131_026 })
    await field().fill('Nobody there')
    await page.keyboard.press('Enter')
    const again = bubbleOf('Nobody there').first().getByRole('button', { name: 'Send again' })
    await again.click({ clickCount: 2, delay: 10 })
    await bubbleOf('Nobody there').nth(1).waitFor()
    await page.waitForTimeout(UNHURRIED_MS)
    expect(await again.isDisabled()).toBe(true)
    await again.click({ force: true })
    await page.waitForTimeout(SETTLED_MS)
    expect(countOf(/^POST \/api\/messages\/[^/]+\/resend$/)).toBe(1)
    expect(await bubbleOf('Nobody there').count()).toBe(2)
    const places = await page.evaluate(
      `[...document.querySelectorAll('.line')].map((line) => line.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])`,
    )
    for (const [index, [, bottom]] of (places as [number, number][]).entries())
      expect((places as [number, number][])[index + 1]?.[0] ?? bottom).toBeGreaterThan(bottom - 1)
    await journey.requireAccessible()
  }, 60_000)

  test('sending it again after its answer was lost', async () => {
    live.world.simulator.fail({ code: 131_026 })
    await field().fill('Lost once')
    await page.keyboard.press('Enter')
    const again = bubbleOf('Lost once').first().getByRole('button', { name: 'Send again' })
    await lose(/\/resend$/)
    await again.click()
    await bubbleOf('Lost once').nth(1).waitFor()
    await again.click()
    await page.waitForTimeout(SETTLED_MS)
    expect(await bubbleOf('Lost once').count()).toBe(2)
  }, 60_000)

  test('saving a form in a window', async () => {
    await page.goto('/settings/api-keys')
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await page.getByText('contacts:read', { exact: true }).click()
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Shop')
    await slow(/\/api\/api-keys$/)
    await name.press('Enter')
    await name.press('Enter')
    await page.getByRole('dialog').locator('.secret code').waitFor()
    await page.waitForTimeout(SLOW_MS)
    expect(countOf(/^POST \/api\/api-keys$/)).toBe(1)
    await page.unrouteAll({ behavior: 'wait' })
  }, 60_000)

  test('what is created again after its answer was lost: a key, an invitation, a note', async () => {
    await page.goto('/settings/api-keys')
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await page.getByText('contacts:read', { exact: true }).click()
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Till')
    await lose(/\/api\/api-keys$/)
    await name.press('Enter')
    await page.getByText('The server is busy.').waitFor()
    await name.press('Enter')
    await page.getByRole('dialog').locator('.secret code').waitFor()

    await page.goto('/settings/people')
    await page.getByRole('button', { name: 'Invite people' }).click()
    const submit = page.getByRole('button', { name: 'Create invitation' })
    await lose(/\/invitations$/)
    await submit.click()
    await page.getByText('The server is busy.').waitFor()
    await submit.click()
    await page.getByRole('dialog').locator('.secret code').waitFor()

    await openAna()
    await page.getByRole('button', { name: 'Note', exact: true }).click()
    const note = page.getByRole('textbox', { name: 'Note' })
    await note.fill('likes rye')
    await lose(/\/notes$/)
    await note.press('Enter')
    await page.getByText('The server is busy.').waitFor()
    await note.press('Enter')
    const saved = page.getByRole('log').getByRole('note').filter({ hasText: 'likes rye' })
    await saved.waitFor()
    expect(await note.inputValue()).toBe('')
    await page.waitForTimeout(SETTLED_MS)
    expect(await saved.count()).toBe(1)

    const admin = await live.world.as('admin')
    const keys = await admin.get('/api/api-keys')
    expect((keys.data['items'] as { name: string }[]).map((key) => key.name).toSorted()).toEqual([
      'Shop',
      'Till',
    ])
    const invitations = await admin.get('/api/organizations/invitations')
    expect(invitations.data['items']).toHaveLength(1)
  }, 60_000)

  test('sending a message again of which nobody knows whether it arrived', async () => {
    const { simulator, clock } = live.world
    await openAna()
    simulator.loseAnswer()
    simulator.swallowStatuses()
    await field().fill('Did it arrive?')
    await page.keyboard.press('Enter')
    await bubbleOf('Did it arrive?').getByRole('img').waitFor()
    const again = bubbleOf('Did it arrive?').first().getByRole('button', { name: 'Send again' })
    while ((await again.count()) === 0) {
      clock.advance({ minutes: 2 })
      await page.waitForTimeout(100)
    }
    const before = countOf(/^POST \/api\/messages\/[^/]+\/resend$/)
    await again.click({ clickCount: 2, delay: 10 })
    await bubbleOf('Did it arrive?').nth(1).waitFor()
    await page.waitForTimeout(SETTLED_MS)
    expect(countOf(/^POST \/api\/messages\/[^/]+\/resend$/) - before).toBe(1)
    expect(await bubbleOf('Did it arrive?').count()).toBe(2)
  }, 60_000)

  test('sending a template when the window is closed', async () => {
    live.world.clock.advance({ hours: 25 })
    await page.context().clearCookies()
    await page.goto('/inbox')
    await journey.signIn('admin')
    await openAna()
    const choose = async (): Promise<void> => {
      await page.getByRole('searchbox', { name: 'Search templates' }).fill('still')
      await page.getByRole('button', { name: /still_there/ }).click()
    }
    await choose()
    await page.getByRole('button', { name: 'Send template' }).dblclick()
    await bubbleOf('Your order is ready.').first().waitFor()
    await page.getByRole('searchbox', { name: 'Search templates' }).waitFor()
    await page.waitForTimeout(SETTLED_MS)
    expect(await bubbleOf('Your order is ready.').count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Send template' }).count()).toBe(0)
    // a template can be sent again, if somebody wants that
    await choose()
    await page.getByRole('button', { name: 'Send template' }).click()
    await bubbleOf('Your order is ready.').nth(1).waitFor()
  }, 60_000)

  test('closing a conversation', async () => {
    await openAna()
    await slow(/\/api\/conversations\/[^/]+$/)
    await page.getByRole('button', { name: 'Close', exact: true }).dblclick()
    await page.getByRole('button', { name: 'Undo' }).first().waitFor()
    await page.waitForTimeout(SLOW_MS)
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(1)
    expect(countOf(/^PUT \/api\/conversations\/[^/]+$/)).toBe(1)
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByRole('button', { name: 'Reopen' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    const close = page.getByRole('button', { name: 'Close', exact: true }).first()
    await close.waitFor()
    // the second click of an answer that came at once must not open it again
    await page.waitForTimeout(SETTLED_MS)
    await page.locator('.thread-head').getByRole('button', { name: 'Close' }).dblclick({
      delay: 20,
    })
    await page.locator('.thread-head').getByRole('button', { name: 'Reopen' }).waitFor()
    await page.waitForTimeout(SETTLED_MS)
    expect(await page.locator('.thread-head').getByRole('button', { name: 'Reopen' }).count()).toBe(
      1,
    )
    await page.locator('.thread-head').getByRole('button', { name: 'Reopen' }).click()
    await page.locator('.thread-head').getByRole('button', { name: 'Close' }).waitFor()
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
