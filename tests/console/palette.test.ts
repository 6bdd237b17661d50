import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'

describe.skipIf(CHROMIUM === null)('the keyboard', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
  }, 30_000)

  afterAll(() => live.stop())

  test('opens commands and the list of keys, and can be switched off', async () => {
    const journey = await live.open({ path: '/inbox' })
    const { page } = journey
    await journey.signIn('agent')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Commands' }).waitFor()
    const lastCommand = page.getByRole('menuitem', { name: 'Sign out' })
    const place = await lastCommand.boundingBox()
    if (!place) throw new Error('the command is not visible')
    await page.keyboard.press('Escape')
    // A pointer that rests where an item appears does not choose it.
    await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2)
    await page.keyboard.press('Control+k')
    await lastCommand.waitFor()
    expect(await lastCommand.getAttribute('data-focused')).toBeNull()
    await page.keyboard.type('dark')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.documentElement.style.colorScheme')).toBe('dark')
    await page.keyboard.press('Shift+?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await keys.waitFor()
    await journey.requireAccessible()
    await keys.getByText('Single keys work as shortcuts').click()
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
    await page.keyboard.press('Shift+?')
    expect(await keys.count()).toBe(0)
    await journey.finish()
  }, 90_000)
})
