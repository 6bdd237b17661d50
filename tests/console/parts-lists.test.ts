import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'
import { looks } from './support/looks'

describe.skipIf(CHROMIUM === null)('the parts that find, select and take files', () => {
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

      // a file that is too large is not taken; another one can be taken back
      const upload = page.getByRole('group', { name: 'Upload' })
      const give = (size: number): Promise<void> =>
        upload
          .locator('input')
          .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.alloc(size) })
      await give(6_000_000)
      await upload.getByText('at most 5 MB are possible').waitFor()
      await journey.requireAccessible()
      await give(10)
      await upload.getByText('The file is being read').waitFor()
      await upload.getByRole('button', { name: 'Cancel' }).click()
      await upload.getByRole('button', { name: 'Choose a file' }).waitFor()

      // rows of a table that are changed together, many of them with their number
      const bulk = page.getByRole('toolbar', { name: 'Selected entries' })
      await page.getByRole('checkbox', { name: 'Select all loaded' }).click()
      await bulk.getByRole('button', { name: /Select all/ }).click()
      await bulk.getByText('123456 selected').or(bulk.getByText('123,456 selected')).waitFor()
      await journey.requireAccessible()
      await bulk.getByRole('button', { name: 'More' }).click()
      const confirm = page.getByRole('dialog', { name: 'Confirm' })
      await confirm.getByRole('textbox').fill('123,456')
      await confirm.getByRole('button', { name: 'action' }).click()
      await bulk.waitFor({ state: 'detached' })

      // a condition that the server refuses says so itself
      const builder = page.getByRole('group', { name: 'Conditions' })
      await page.getByRole('button', { name: / error$/ }).click()
      await page.getByRole('option', { name: 'slow' }).click()
      await builder
        .getByRole('group', { name: 'Condition 2' })
        .getByText(/makes the search too slow/)
        .waitFor()
      await journey.requireAccessible()
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
      await journey.finish()
    },
    120_000,
  )
})
