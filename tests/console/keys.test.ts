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
    journey = await live.open()
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
    await page.keyboard.press('e')
    await rowOf('Carl').waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await isOpen('Bea')
    await page.keyboard.press('k')
    await isOpen('Dora')
    await page.keyboard.press('j')
    await isOpen('Bea')
    await page.keyboard.press('e')
    await rowOf('Bea').waitFor({ state: 'detached' })
    await page.keyboard.press('k')
    await isOpen('Dora')
    await journey.finish()
  }, 60_000)
})
