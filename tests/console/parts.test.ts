import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'

import { CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'
import { looks } from './support/looks'

describe.skipIf(CHROMIUM === null)('the parts of forms and lists', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
  }, 60_000)

  afterAll(() => live.stop())

  test.each(looks('desk'))(
    'work in %j',
    async ({ dir, ...look }) => {
      const journey = await live.open({ path: '/dev/parts', ...look })
      const { page } = journey
      await journey.signIn('admin')
      await page.evaluate(`document.documentElement.dir = '${dir}'`)
      await page.getByRole('textbox', { name: 'TextField' }).waitFor()
      const save = page.locator('.save-bar').getByRole('button', { name: 'Save', exact: true })
      expect(await save.count()).toBe(0)
      await journey.requireAccessible()

      // what was changed back counts as unchanged, and what is out of range is not sent
      const number = page.getByRole('textbox', { name: 'NumberField', exact: true })
      await number.fill('11')
      await save.click()
      await page.getByText('1 to 10.').waitFor()
      await journey.requireAccessible()
      await number.fill('5')
      await save.waitFor({ state: 'detached' })

      // an error of the server stands at its field, which gets the focus
      await page.getByRole('button', { name: /onSave/ }).click()
      await page.getByRole('option', { name: 'refused' }).click()
      await page.getByRole('textbox', { name: 'TextField' }).fill('changed')
      await page.keyboard.press('Control+s')
      await page.getByText('Fill in this field.').waitFor()
      await page.locator('input[name=name]:focus').waitFor()
      await journey.requireAccessible()
      await page.getByRole('button', { name: /onSave/ }).click()
      await page.getByRole('option', { name: 'lost' }).click()
      // and does not keep the form from being sent again as it is
      await save.click()
      await page.getByText('The server cannot be reached.').waitFor()
      await page.getByRole('button', { name: /onSave/ }).click()
      await page.getByRole('option', { name: 'saved' }).click()
      await save.click()
      // what is changed while a form is sent is kept
      await page.getByRole('textbox', { name: 'TextField' }).fill('changed meanwhile')
      await page.getByText('Saved', { exact: true }).last().waitFor()
      await page.getByText('Not saved yet').waitFor()
      expect(await page.getByRole('textbox', { name: 'TextField' }).inputValue()).toBe(
        'changed meanwhile',
      )
      await save.click()
      await save.waitFor({ state: 'detached' })
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)

      // a table in each of its states
      const shows = async (state: string, what: Locator): Promise<void> => {
        await page.getByRole('button', { name: / Table$/ }).click()
        await page.getByRole('option', { name: state, exact: true }).click()
        await what.first().waitFor()
        await journey.requireAccessible()
      }
      const row = page.locator('[data-row]')
      await page.getByText('10,000+ entries').waitFor()
      await shows('loading', page.getByRole('status', { name: 'Loading' }))
      await shows('error', page.getByRole('alert').getByText('The server cannot be reached.'))
      await shows('none', page.getByText('empty', { exact: true }).filter({ visible: true }))
      await shows('capped', page.getByText('Only the first 200 are listed.'))
      await shows('old', page.locator('[aria-busy=true] [data-row]'))
      await shows('no match', page.getByText('Nothing matches'))
      await page.getByRole('button', { name: 'Show all' }).click()
      await row.first().waitFor()
      await page.keyboard.press('j')
      await page.locator('[data-row]:focus').waitFor()
      await page.getByRole('button', { name: 'isNumber' }).click()
      await page
        .getByRole('columnheader', { name: 'isNumber' })
        .and(page.locator('[aria-sort=descending]'))
        .waitFor()
      expect(await row.count()).toBeLessThan(60)
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)

      await journey.finish()
    },
    120_000,
  )

  test.each(looks('phone'))(
    'show jobs, messages and tasks in %j',
    async ({ dir, ...look }) => {
      const journey = await live.open({ path: '/dev/parts?step=shown', ...look })
      const { page } = journey
      await journey.signIn('admin')
      await page.evaluate(`document.documentElement.dir = '${dir}'`)
      const job = (name: string) => page.getByRole('group', { name, exact: true }).first()
      await job('running').getByText('1,234 of 20,000 · about 4 min left').waitFor()
      await job('uncounted').getByText('1,234 done').waitFor()
      await job('failed').getByRole('alert').waitFor()
      await job('done').getByText('20,000 of 20,000').waitFor()

      // a message of each kind, also as it is on a phone with the other look
      const phone = (name: string) => page.getByRole('figure', { name, exact: true })
      for (const [kind, words] of [
        ['text', 'footer'],
        ['image', 'Picture'],
        ['video', 'Video'],
        ['document', 'document'],
        ['location', 'address'],
        ['offer', 'Code CODE'],
        ['carousel', 'third'],
        ['authentication', 'do not share this code'],
        ['arabic', 'مرحبا'],
        ['nothing', 'you see it here'],
      ] as const) {
        await phone(kind).getByText(words).first().waitFor()
        await phone(kind)
          .getByRole('button', { name: /Show it/ })
          .click()
      }
      await phone('buttons').getByRole('button', { name: 'See all options' }).click()
      await phone('buttons').getByText('Share phone number').waitFor()
      await phone('list').getByRole('button', { name: 'button', exact: true }).click()
      await phone('list').getByText('description').waitFor()
      await journey.requireAccessible()
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)

      // a task in steps: each is saved before the next, and what is refused stays shown
      await page.getByRole('link', { name: 'done', exact: true }).click()
      await page.getByRole('heading', { level: 2, name: 'first' }).waitFor()
      await journey.requireAccessible()
      await page.getByRole('button', { name: 'Next' }).click()
      await page.locator('h2:focus', { hasText: 'second' }).waitFor()
      expect(new URL(page.url()).searchParams.get('step')).toBe('second')
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText('Fill in this field.').first().waitFor()
      await journey.requireAccessible()
      await page.getByRole('textbox', { name: 'TextField' }).fill('named')
      await page.keyboard.press('Enter')
      await page.locator('h2:focus', { hasText: 'last' }).waitFor()
      await page.getByRole('button', { name: 'Back' }).click()
      expect(await page.getByRole('textbox', { name: 'TextField' }).inputValue()).toBe('named')
      await page.getByRole('button', { name: /last/ }).click()
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
      await page.getByRole('button', { name: 'finish' }).click()
      await page.getByRole('heading', { level: 1, name: '/dev/parts' }).waitFor()
      await journey.finish()
    },
    120_000,
  )
})
