import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

/** The newest stands first in the list. */
const NAMES = ['Dora', 'Carl', 'Bea', 'Ana']

describe.skipIf(CHROMIUM === null)('keys in the inbox', () => {
  let live: LiveWorld
  let journey: Journey
  let page: Page

  beforeAll(async () => {
    live = await LiveWorld.create()
    const { simulator, tenant } = live.world
    for (const name of NAMES.toReversed())
      await simulator.customer({ phone: tenant.phoneId, name }).says(`words of ${name}`)
    // a test refuses an answer
    journey = await live.open({ expected: [/status of 400/] })
    page = journey.page
    await journey.signIn('admin')
    await rowOf('Dora').waitFor()
  }, 60_000)

  afterAll(() => live.stop())

  const rowOf = (name: string): Locator =>
    page.getByRole('listitem').filter({ hasText: name }).getByRole('link')
  const isOpen = (name: string): Promise<void> =>
    page.locator('.thread-head h2', { hasText: name }).waitFor()
  const field = (): Locator => page.getByRole('textbox', { name: 'Message' })

  /** What can be opened while a conversation is shown, and closed again with Escape. */
  const MENUS: Record<string, () => Promise<void>> = {
    'the views': () => page.locator('.list-head h1 button').click(),
    'the filters': () => page.getByRole('button', { name: 'Filter' }).click(),
    'who answers': () => page.getByRole('button', { name: 'Hand over' }).click(),
    'who answers, by key': () => page.keyboard.press('a'),
    'who answers, by another key': () => page.keyboard.press('h'),
    'when it is shown again': () => page.getByRole('button', { name: 'Snooze' }).click(),
    'when it is shown again, by key': () => page.keyboard.press('s'),
    more: () => page.locator('.thread-head').getByRole('button', { name: 'More' }).click(),
    'the tags': () => page.getByRole('button', { name: 'Change tags' }).click(),
    'the emojis': () => page.getByRole('button', { name: 'Emoji' }).click(),
    'the palette': () => page.keyboard.press('Control+k'),
    'the keys': () => page.keyboard.press('Shift+?'),
    'the account': () => page.getByRole('button', { name: /Your account/ }).click(),
    'the notices': () => page.getByRole('button', { name: 'Notifications' }).click(),
  }

  test.each(Object.keys(MENUS))(
    'belong to the list after Escape from a menu: %s',
    async (name) => {
      await rowOf('Dora').click()
      await isOpen('Dora')
      await MENUS[name]?.()
      const menu = page.locator('[role=menu], [role=dialog]').first()
      await menu.waitFor()
      await menu
        .locator(':focus')
        .or(menu.and(page.locator(':focus')))
        .first()
        .waitFor()
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'detached' })
      await page.keyboard.press('j')
      await isOpen('Carl')
      await page.keyboard.press('j')
      await isOpen('Bea')
      await page.keyboard.press('r')
      await page.keyboard.type('jr')
      expect(await field().inputValue()).toBe('jr')
      await field().fill('')
    },
    30_000,
  )

  test('go on from where a conversation was that left the list', async () => {
    await rowOf('Carl').click()
    await isOpen('Carl')
    await page.locator('.thread-head').getByRole('button', { name: 'Close', exact: true }).click()
    await rowOf('Carl').waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await isOpen('Bea')
    await page.keyboard.press('k')
    await isOpen('Dora')
  }, 60_000)

  test('go on with arrows while the focus is in the list, and select there', async () => {
    const hasFocus = (name: string) => rowOf(name).and(page.locator(':focus')).waitFor()
    await rowOf('Dora').click()
    await page.keyboard.press('ArrowDown')
    await isOpen('Bea')
    await hasFocus('Bea')
    await page.keyboard.press('End')
    await isOpen('Ana')
    await page.keyboard.press('Home')
    await isOpen('Dora')
    await hasFocus('Dora')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Shift+ArrowUp')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press(' ')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowUp')
    await isOpen('Dora')
  }, 30_000)

  test('close a conversation and go on to the next, and back by undoing it', async () => {
    await page.keyboard.press('e')
    await isOpen('Bea')
    await rowOf('Dora').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await isOpen('Dora')
    await rowOf('Dora').waitFor()
    await page.keyboard.press('j')
    await isOpen('Bea')
  }, 60_000)

  test('send an answer, close, and go on to what was the next one', async () => {
    await field().fill('See you then')
    await page.keyboard.press('Control+Shift+Enter')
    await isOpen('Ana')
    await rowOf('Bea').waitFor({ state: 'detached' })
    const admin = await live.world.as('admin')
    const { items } = (await admin.get('/api/conversations?state=closed')).data as {
      items: Record<string, Record<string, unknown>>[]
    }
    expect(
      items.map(({ contact, last_message: last }) => [
        contact?.['display_name'],
        last?.['preview'],
      ]),
    ).toContainEqual(['Bea', 'See you then'])
    // nothing comes after Ana, so the one before is next, and in the end the day is shown
    await page.keyboard.press('e')
    await isOpen('Dora')
    await page.keyboard.press('e')
    await page.getByText('Closed today').waitFor()
    await page.waitForURL(/\/inbox$/)
  }, 60_000)

  test('leave a conversation open whose answer was refused', async () => {
    await page.goto('/inbox?view=closed')
    await rowOf('Ana').click()
    await isOpen('Ana')
    await page.keyboard.press('e')
    await page.locator('.thread-head').getByRole('button', { name: 'Close', exact: true }).waitFor()
    await page.route(/conversations\/[^/]+\/messages$/, (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 400, json: { status: 'error', code: 'odd', message: 'No.' } })
        : route.continue(),
    )
    await field().fill('Not this one')
    await page.keyboard.press('Control+Shift+Enter')
    await page
      .getByRole('button', { name: /Send again|Try again/ })
      .first()
      .waitFor()
    await isOpen('Ana')
    await page.unrouteAll({ behavior: 'wait' })
    expect(await page.getByRole('button', { name: 'Reopen' }).count()).toBe(0)
  }, 60_000)

  test('begin a message to a customer, and to a number that nobody has yet', async () => {
    await page.goto('/inbox')
    await page.getByRole('button', { name: 'New message' }).waitFor()
    const dialog = page.getByRole('dialog', { name: 'New message' })
    await page.keyboard.press('c')
    await dialog.getByRole('searchbox').fill('dor')
    await dialog.getByRole('menuitem', { name: /Dora/ }).waitFor()
    await journey.requireAccessible()
    await journey.picture('new-message')
    await page.keyboard.press('Enter')
    await isOpen('Dora')
    await page.getByRole('button', { name: 'New message' }).click()
    await dialog.getByRole('searchbox').fill('+1 555 030 4444')
    await dialog.getByRole('menuitem', { name: 'Write to +1 555 030 4444' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await isOpen('+1 555 030 4444')
    await page
      .getByText(/template/i)
      .first()
      .waitFor()
    await journey.finish()
  }, 60_000)
})
