/** The documentation in a browser: search by keys, the filter, copying, and no error on the way. */
import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Browser, Page } from 'playwright-core'

import { World } from '../support/world'
import { CHROMIUM, launch } from './support/chromium'
import { findingsOf, REPORT_VIOLATIONS, watchPage } from './support/findings'

const problems: string[] = []
let world: World
let browser: Browser
let page: Page

beforeAll(async () => {
  if (CHROMIUM === null) return
  world = await World.create({ isConnected: false })
  browser = await launch()
  const context = await browser.newContext({
    baseURL: world.url,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await context.addInitScript(REPORT_VIOLATIONS)
  page = await context.newPage()
  watchPage(page, { origin: world.url, expected: [], problems })
})

afterAll(async () => {
  await browser?.close()
  await world?.stop()
})

test.skipIf(CHROMIUM === null)('somebody reads, searches, filters and copies', async () => {
  await page.goto('/docs/start')
  expect(await findingsOf(page)).toEqual([])
  await page.locator('.copy').first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()

  await page.keyboard.press('/')
  const search = page.getByRole('combobox', { name: /^Search guides/ })
  await page.keyboard.press('ControlOrMeta+v') // pages may not read what was copied
  expect(await search.inputValue()).toContain('./switchboard demo')
  for (const [asked, first] of [
    ['How do I restore a backup?', 'Back up and restore'],
    ['what does it cost', 'Size and cost'],
    ['import contacts', 'Contacts and import'],
    ['window_closed', 'window_closed'],
  ] as const) {
    await search.fill(asked)
    await page.locator('.results li').first().getByText(first, { exact: true }).first().waitFor()
  }
  await search.fill('DATA_DIR')
  await page.locator('.results li').first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/configure#DATA_DIR$/)

  await page.goto('/docs/reference')
  await page.getByRole('searchbox', { name: 'Filter operations' }).fill('window_closed')
  await page.getByText(/^\d+ of \d+ operations$/).waitFor()
  expect(await page.locator('.operations li:visible').allTextContents()).toContain(
    'POST /api/messages Send a message',
  )
  const listed = `document.querySelectorAll('.operations li:not([hidden])').length`
  const before = Number(await page.evaluate(listed))
  await page.getByRole('searchbox', { name: 'Filter operations' }).fill('window_closed sendMessage')
  await page.waitForFunction(`${listed} > 0 && ${listed} < ${before}`) // all words count
  await page.setViewportSize({ width: 360, height: 700 })
  await page.locator('#sendMessage a').click()
  await page.getByRole('heading', { name: 'Send a message' }).waitFor()
  expect(await findingsOf(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
  await page.getByRole('link', { name: 'Pages' }).click()
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: 'Operate' })
    .click()
  await page.waitForURL(/\/docs\/operate$/)
  expect(problems).toEqual([])
})
