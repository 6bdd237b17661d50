import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'

import { PASSWORD } from '../support/world'
import { CHROMIUM } from './support/chromium'
import { closeWithEscape, LiveWorld } from './support/journey'
import { tabTo } from './support/keyboard'

/** Whether something moves although the person asked for no motion. */
const IS_MOVING = "document.getAnimations().some(({ playState }) => playState === 'running')"

describe.skipIf(CHROMIUM === null)('the keyboard', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
  }, 30_000)

  afterAll(() => live.stop())

  test('opens and walks with the keys at the same places of an Arabic keyboard', async () => {
    const journey = await live.open({ path: '/inbox' })
    const { page } = journey
    await journey.signIn('agent')
    const press = (event: object): Promise<unknown> =>
      page.evaluate(
        `document.dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify({ bubbles: true, ...event })}))`,
      )
    await press({ key: 'ن', code: 'KeyK', ctrlKey: true })
    await closeWithEscape(page.getByRole('dialog', { name: 'Commands' }))
    await press({ key: 'ل', code: 'KeyG' })
    await press({ key: 'س', code: 'KeyS' })
    await page.waitForURL(/settings/)
    await journey.finish()
  }, 30_000)

  test('opens commands and the list of keys, and can be switched off', async () => {
    const journey = await live.open({ path: '/inbox' })
    const { page } = journey
    await journey.signIn('agent')
    await page.keyboard.press('Control+k')
    const commands = page.getByRole('dialog', { name: 'Commands' })
    await commands.waitFor()
    const lastCommand = page.getByRole('menuitem', { name: 'Sign out' })
    const place = await lastCommand.boundingBox()
    if (!place) throw new Error('the command is not visible')
    await closeWithEscape(commands)
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
    const places = keys.getByRole('region', { name: 'Go to' })
    const letters = await places.locator('kbd:last-child').allInnerTexts()
    // an agent sees no campaigns
    expect(letters).toEqual(['I', 'C', 'P', 'F', 'T', 'S'])
    await keys.getByText('Single keys work as shortcuts').click()
    await closeWithEscape(keys)
    await page.keyboard.press('Shift+?')
    expect(await keys.count()).toBe(0)
    await journey.finish()
  }, 90_000)

  test('finds customers, conversations, settings and canned responses', async () => {
    const { world } = live
    await world.simulator
      .customer({ phone: world.tenant.phoneId, name: 'Lucía Campos' })
      .says('Is the roof done?')
    const admin = await world.as('admin')
    await admin.post('/api/canned-responses', {
      name: 'Lucky greeting',
      content: 'Good day from all of us.',
    })
    const journey = await live.open({ path: '/inbox' })
    const { page } = journey
    const { keyboard } = page
    await journey.signIn('admin')
    const search = async (text: string): Promise<Locator> => {
      await keyboard.press('Control+k')
      const dialog = page.getByRole('dialog', { name: 'Commands' })
      await dialog.getByRole('searchbox').fill(text)
      return dialog
    }
    const groupIn = (dialog: Locator, name: string): Locator => dialog.getByRole('group', { name })
    const pick = async (group: string, name: RegExp): Promise<void> => {
      const item = groupIn(dialog, group).getByRole('menuitem', { name })
      await item.waitFor()
      while ((await item.getAttribute('data-focused')) === null) await keyboard.press('ArrowDown')
      await keyboard.press('Enter')
    }

    let dialog = await search('luc')
    await groupIn(dialog, 'Contacts').getByText('Lucía Campos').waitFor()
    expect(await dialog.getByRole('button').count()).toBe(0)
    await journey.requireAccessible()
    await journey.picture('palette')
    await pick('Conversations', /Lucía/)
    await page.waitForURL(/\/inbox\/[0-9a-f-]{36}/)
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill('Hello,')

    dialog = await search('lucky')
    await pick('Canned responses', /Lucky/)
    await field.filter({ hasText: 'Good day from all of us.' }).waitFor()
    expect(await field.inputValue()).toBe('Hello,\nGood day from all of us.')
    dialog = await search('campos luc')
    await pick('Contacts', /Lucía/)
    await page.waitForURL(/\/contacts\//)
    dialog = await search('hours')
    await pick('Settings', /Hours/)
    await page.waitForURL(/\/settings\//)
    dialog = await search('xyzzy')
    await dialog.getByText('Nothing found.').waitFor()
    await keyboard.press('Escape') // empties the field
    await closeWithEscape(dialog)
    await journey.finish()
  }, 90_000)

  test('is enough to answer a customer and to use dialogs, also with letters twice as large', async () => {
    const { world } = live
    await world.simulator
      .customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
      .says('Are you open today?')
    const journey = await live.open({ path: '/login', viewport: { width: 640, height: 400 } })
    const { page } = journey
    const { keyboard } = page
    const focused = page.locator(':focus')
    const requireFocus = (what: Locator): Promise<void> => focused.and(what).waitFor()
    const requireNoScrolling = async (): Promise<void> => {
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }

    await tabTo(page, page.getByRole('textbox', { name: 'Email' }))
    await keyboard.type(world.emailOf('admin', world.tenant))
    await keyboard.press('Tab')
    await keyboard.type(PASSWORD)
    await requireNoScrolling()
    await keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.goto('/inbox')
    await tabTo(page, page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).getByRole('link'))
    await keyboard.press('Enter')
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.waitFor()
    await keyboard.press('r')
    await requireFocus(field)
    await keyboard.type('Until six.')
    await keyboard.press('Enter')
    await page.getByRole('log').getByRole('article').filter({ hasText: 'Until six.' }).waitFor()
    await requireNoScrolling()

    const assign = page.getByRole('button', { name: 'Hand over' })
    await assign.focus()
    await keyboard.press('Enter')
    await page.getByRole('searchbox', { name: 'Search colleagues and teams' }).waitFor()
    await keyboard.press('Escape')
    await requireFocus(assign)

    await page.goto('/settings/tags')
    const add = page.getByRole('button', { name: 'Add tag' }).first()
    await tabTo(page, add)
    await keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Add tag' }).waitFor()
    expect(await page.evaluate(IS_MOVING)).toBe(false)
    await requireNoScrolling()
    await keyboard.type('Regular')
    await keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // the button stood in place of the list that is there now
    await requireFocus(page.getByRole('heading', { level: 1, name: 'Tags' }))
    await tabTo(page, add)
    await keyboard.press('Enter')
    await closeWithEscape(page.getByRole('dialog', { name: 'Add tag' }))
    await requireFocus(add)
    await requireNoScrolling()
    await journey.finish()
  }, 90_000)
})
