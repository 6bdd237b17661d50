/**
 * `bun run pictures`: takes the pictures of README and guides from the demo, just after its start and
 * before its customers write more. Names take only these (`bun run pictures flow`). The moving one
 * needs `img2webp` (Debian's package `webp`).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

import { startDemo } from '../../../src/demo/run'
import { CHROMIUM, launch } from '../support/chromium'

const FOLDER = join(import.meta.dir, '../../../src/docs/pictures')
/** Time in which a page that was loaded draws everything, milliseconds. */
const SETTLING_MS = 1500
const QUALITY = 0.82
const DESK = { viewport: { width: 1360, height: 800 } }
/** Small enough to be read in a third of a page. */
const TILE = { viewport: { width: 1200, height: 750 } }

/**
 * Opens the inbox of the bakery as its owner. Whatever was open before is closed: one person may ask
 * only so often.
 */
async function openInbox(browser: Browser, url: string, options: BrowserContextOptions) {
  for (const context of browser.contexts()) await context.close()
  const context = await browser.newContext({ baseURL: url, locale: 'en', ...options })
  const page = await context.newPage()
  await page.goto('/login')
  await page.locator('input[name=email]').fill('owner@demo.example')
  await page.locator('input[name=password]').fill('demo-password')
  await page.locator('button[type=submit]').click()
  await page.getByText('Hannah Vogel').first().waitFor()
  return page
}

async function settle(page: Page): Promise<void> {
  await page.mouse.move(0, 0) // nothing is hovered
  await page.getByText(/^(?:No connection|You asked too often)/).waitFor({ state: 'detached' })
  await page.waitForTimeout(SETTLING_MS)
}

async function openConversation(page: Page, customer: string): Promise<void> {
  await page.getByText(customer).first().click()
  await page.getByRole('heading', { name: customer }).first().waitFor()
  await settle(page)
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
  writeFileSync(join(FOLDER, `${name}.webp`), Buffer.from(url.split(',')[1] ?? '', 'base64'))
}

/** Opens what a list of links leads to. */
async function openFrom(page: Page, list: string, link: string): Promise<void> {
  await page.goto(list)
  await page.getByRole('link', { name: link }).first().click()
  await page.getByRole('heading', { level: 1, name: link }).waitFor()
  await settle(page)
}

/** A picture of the film: what is seen, and for how long. */
interface Frame {
  png: Buffer
  ms: number
}

/** Somebody answers a customer, who reads it and writes back. */
async function film(page: Page): Promise<Frame[]> {
  const frames: Frame[] = []
  const take = async (ms: number): Promise<void> => {
    frames.push({ png: await page.screenshot(), ms })
  }
  await openConversation(page, 'Hannah Vogel')
  await take(1_500)
  await page.keyboard.press('r')
  for (const words of ['Of course! ', 'Friday from ', 'five, and it ', 'is without nuts. 🎂']) {
    await page.keyboard.insertText(words)
    await page.waitForTimeout(100)
    await take(350)
  }
  await page.keyboard.press('Enter')
  for (let nth = 0; nth < 24; nth += 1) {
    await page.waitForTimeout(400)
    await take(400)
  }
  await take(2_500)
  return frames.filter(({ png }, at) => !frames[at - 1]?.png.equals(png))
}

async function writeFilm(frames: readonly Frame[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-film-'))
  const args = frames.flatMap(({ png, ms }, at) => {
    const path = join(folder, `${at}.png`)
    writeFileSync(path, png)
    return ['-d', String(ms), path]
  })
  const out = join(FOLDER, 'film.webp')
  const made = Bun.spawnSync(['img2webp', '-loop', '0', '-lossy', '-q', '60', ...args, '-o', out])
  rmSync(folder, { recursive: true })
  if (!made.success) throw new Error(made.stderr.toString())
}

if (CHROMIUM === null) process.exit(1)
const wanted = process.argv.slice(2)
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name)
const browser = await launch()
const demo = await startDemo({
  ...{ host: '127.0.0.1', port: 0, dir: undefined, logLevel: 'error' },
  signal: new AbortController().signal,
})
const [, url = ''] = /Open +(\S+)/.exec(demo.text) ?? []

const PICTURES: Record<string, () => Promise<unknown>> = {
  async inbox() {
    const desk = await openInbox(browser, url, DESK)
    await openConversation(desk, 'Hannah Vogel')
    await write(desk, 'inbox')
  },
  async phone() {
    const phone = await openInbox(browser, url, {
      ...{ viewport: { width: 390, height: 800 }, deviceScaleFactor: 1.5 },
      ...{ hasTouch: true, isMobile: true },
    })
    await phone.getByRole('button', { name: /Your account/ }).click()
    await phone.getByText('Harbor Bikes').first().click()
    await openConversation(phone, 'Jonas Krüger')
    await write(phone, 'phone')
  },
  async film() {
    await writeFilm(await film(await openInbox(browser, url, DESK)))
  },
  async flow() {
    const page = await openInbox(browser, url, DESK)
    await openFrom(page, '/bot/flows', 'Welcome')
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByRole('textbox', { name: 'Message of the customer' }).fill('Hello!')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('Talk to a person').waitFor()
    await settle(page)
    await write(page, 'flow')
  },
  async contacts() {
    const page = await openInbox(browser, url, TILE)
    await page.goto('/contacts')
    await page.getByRole('row').filter({ hasText: 'Newsletter' }).first().waitFor()
    await settle(page)
    await write(page, 'contacts')
  },
  async template() {
    const page = await openInbox(browser, url, TILE)
    await openFrom(page, '/templates', 'christmas_stollen')
    await write(page, 'template')
  },
  async campaign() {
    const page = await openInbox(browser, url, TILE)
    await openFrom(page, '/campaigns', 'Pumpkin week')
    await write(page, 'campaign')
  },
  async analytics() {
    const page = await openInbox(browser, url, TILE)
    await page.goto('/analytics/messages')
    await settle(page)
    await write(page, 'analytics')
  },
  async reference() {
    const page = await openInbox(browser, url, TILE)
    await page.goto('/docs/reference/messages/sendMessage')
    await settle(page)
    await write(page, 'reference')
  },
}
for (const [name, take] of Object.entries(PICTURES)) {
  if (isWanted(name)) await take()
}

await browser.close()
await demo.stop()
process.exit(0)
