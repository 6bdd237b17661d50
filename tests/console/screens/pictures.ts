/**
 * `bun run pictures`: takes the two pictures of the README from the demo, just after its start and
 * before its customers write more.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

import { startDemo } from '../../../src/demo/run'
import { CHROMIUM, launch } from '../support/chromium'

const FOLDER = join(import.meta.dir, '../../../src/docs')
/** Time in which a page that was loaded draws everything, milliseconds. */
const SETTLING_MS = 1500
const QUALITY = 0.82

/** Opens the inbox of the bakery as its owner. */
async function openInbox(browser: Browser, url: string, options: BrowserContextOptions) {
  const context = await browser.newContext({ baseURL: url, locale: 'en', ...options })
  const page = await context.newPage()
  await page.goto('/login')
  await page.locator('input[name=email]').fill('owner@demo.example')
  await page.locator('input[name=password]').fill('demo-password')
  await page.locator('button[type=submit]').click()
  await page.getByText('Hannah Vogel').first().waitFor()
  return page
}

async function openConversation(page: Page, customer: string): Promise<void> {
  await page.getByText(customer).first().click()
  await page.getByRole('heading', { name: customer }).first().waitFor()
  await page.mouse.move(0, 0) // nothing is hovered
  await page.waitForTimeout(SETTLING_MS)
}

/** Writes what the page shows as WebP, which Playwright does not write by itself. */
async function write(page: Page, name: string): Promise<void> {
  const png = (await page.screenshot()).toString('base64')
  const blank = await page.context().newPage()
  const url: string = await blank.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png}'
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', ${QUALITY})
  })()`)
  await blank.close()
  writeFileSync(join(FOLDER, name), Buffer.from(url.split(',')[1] ?? '', 'base64'))
}

if (CHROMIUM === null) process.exit(1)
const browser = await launch()
const demo = await startDemo({
  ...{ host: '127.0.0.1', port: 0, dir: undefined, logLevel: 'error' },
  signal: new AbortController().signal,
})
const [, url = ''] = /Open +(\S+)/.exec(demo.text) ?? []

const desk = await openInbox(browser, url, { viewport: { width: 1360, height: 800 } })
await openConversation(desk, 'Hannah Vogel')
await write(desk, 'console.webp')

const phone = await openInbox(browser, url, {
  ...{ viewport: { width: 390, height: 800 }, deviceScaleFactor: 1.5 },
  ...{ hasTouch: true, isMobile: true },
})
await phone.getByRole('button', { name: /Your account/ }).click()
await phone.getByText('Harbor Bikes').first().click()
await openConversation(phone, 'Jonas Krüger')
await write(phone, 'phone.webp')

await browser.close()
await demo.stop()
process.exit(0)
