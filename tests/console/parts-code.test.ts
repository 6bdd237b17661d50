import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { bundleConsole } from '../../src/console-bundle'
import { CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'
import { looks } from './support/looks'

/** What the code of the field may weigh, compressed. */
const MOST = 130_000

test('the code of the field for code weighs less than 130 KB', async () => {
  const files = await bundleConsole({ hasParts: true })
  const code = files.filter(
    ({ path, bytes }) =>
      path.endsWith('.js') && new TextDecoder().decode(bytes).includes('cm-content'),
  )
  expect(code.map(({ path }) => path)).not.toEqual([])
  for (const { bytes } of code) expect(Bun.gzipSync(bytes, { level: 9 }).length).toBeLessThan(MOST)
})

describe.skipIf(CHROMIUM === null)('the field for code', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
  }, 60_000)

  afterAll(() => live.stop())

  test.each(looks('desk'))(
    'marks lines and completes names in %j',
    async ({ dir, ...look }) => {
      const journey = await live.open({ path: '/dev/parts', ...look })
      await journey.signIn('admin')
      const { page } = journey
      await page.evaluate(`document.documentElement.dir = '${dir}'`)
      const json = page.getByRole('textbox', { name: 'CodeEditor json' })
      await json.waitFor()
      await journey.requireAccessible()

      // what the server found wrong stands at its line, and below
      await json.focus()
      await page.keyboard.press('Control+End')
      await page.keyboard.press('Enter')
      await page.keyboard.type('wrong')
      const problem = page.getByRole('button', { name: 'Line 5: wrong' })
      await problem.waitFor()
      await page.locator('.cm-lint-marker-error').first().waitFor()
      await journey.requireAccessible()
      await problem.click()
      await page.locator('.cm-activeLine').getByText('wrong').waitFor()

      // undone, it is right again
      for (let nth = 0; nth < 4; nth += 1) await page.keyboard.press('Control+z')
      await problem.waitFor({ state: 'detached' })

      // names are offered after two braces, and taken with the keys
      const prompt = page.getByRole('textbox', { name: 'CodeEditor liquid' })
      await prompt.focus()
      await page.keyboard.press('Control+End')
      await page.keyboard.type(' {{ ord')
      await page.getByRole('option', { name: 'order.total' }).waitFor()
      await journey.requireAccessible()
      await page.keyboard.press('Enter')
      await page
        .getByLabel('prompt', { exact: true })
        .getByText(/\{\{ order\.total/)
        .waitFor()

      // Tab leaves the field, and what may only be read does not change
      await page.keyboard.press('Tab')
      const focused = "[...document.querySelectorAll('.code-box')].indexOf(document.activeElement)"
      expect(await page.evaluate(focused)).toBe(2)
      const read = page.getByRole('textbox', { name: 'CodeEditor isReadOnly' })
      const before = await read.innerText()
      await read.focus()
      await page.keyboard.type('x')
      expect(await read.innerText()).toBe(before)
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
      await journey.finish()
    },
    120_000,
  )
})
