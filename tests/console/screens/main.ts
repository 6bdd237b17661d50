/**
 * `bun run screens [name …]`: takes pictures of the screens of the web console, in six variants,
 * with data that is hard to show. Writes them to `dist/screens/`, and says where axe finds something,
 * a page has an error, asks another server, or is wider than its window, also at 400 %.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Browser, BrowserContext, Page } from 'playwright-core'

import { PASSWORD, World, type Tenant } from '../../support/world'
import { CHROMIUM, launch } from '../support/chromium'
import { findingsOf, REPORT_VIOLATIONS, watchPage } from '../support/findings'
import { LiveWorld } from '../support/journey'
import { furnish, screensStartMs } from './data'
import { SCREENS, VARIANTS, type Screen, type Variant } from './screens'

const FOLDER = join(import.meta.dir, '../../../dist/screens')
/** Time in which a page that was loaded draws everything, milliseconds. */
const SETTLING_MS = 900
/** A window of 1,440 by 900 at 400 %. */
const ENLARGED = { width: 360, height: 225 }

/** Paints a picture for a message. */
async function paint(browser: Browser, words: string): Promise<Uint8Array> {
  const page = await browser.newPage({ viewport: { width: 900, height: 600 } })
  await page.setContent(
    `<body style="margin:0;display:grid;place-items:center;height:100vh;font:700 90px sans-serif;color:#fff;background:linear-gradient(135deg,#f6b26b,#c27ba0 60%,#674ea7)">${words}</body>`,
  )
  const bytes = await page.screenshot({ type: 'jpeg', quality: 80 })
  await page.close()
  return bytes
}

/** Opens the windows of one variant: of a visitor, and of the admin of each organization. */
class Windows {
  private readonly contexts = new Map<string, Promise<BrowserContext>>()

  constructor(
    private readonly live: LiveWorld,
    private readonly variant: Variant,
  ) {}

  of(tenant: Tenant | null, person: 'admin' | 'super'): Promise<BrowserContext> {
    const key = `${person} ${tenant?.name ?? ''}`
    const known = this.contexts.get(key) ?? this.open(tenant, person)
    this.contexts.set(key, known)
    return known
  }

  private async open(tenant: Tenant | null, person: 'admin' | 'super'): Promise<BrowserContext> {
    const { world, browser } = this.live
    const { context: options, density, language } = this.variant
    const context = await browser.newContext({ baseURL: world.url, locale: 'en', ...options })
    context.setDefaultTimeout(20_000)
    await context.addInitScript(REPORT_VIOLATIONS)
    await context.addInitScript(
      `localStorage.getItem('preferences') ?? localStorage.setItem('preferences', ${JSON.stringify(JSON.stringify({ density }))})`,
    )
    if (tenant === null) return context
    await (await world.as(person, tenant)).put('/api/me/settings', { language })
    const page = await context.newPage()
    await page.goto('/login')
    await page.locator('input[name=email]').fill(world.emailOf(person, tenant))
    await page.locator('input[name=password]').fill(PASSWORD)
    await page.locator('button[type=submit]').click()
    await page.locator('nav.rail').waitFor()
    await page.close()
    return context
  }

  async close(): Promise<void> {
    for (const context of this.contexts.values()) await (await context).close()
  }
}

/** Whether a page has to be moved sideways to be read. */
const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > innerWidth')

/** Whether what is in the middle of the window is the content of the page, and not what frames it. */
const showsContent = (page: Page): Promise<boolean> =>
  page.evaluate(
    "document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('main, .popover, [role=dialog], [role=alert], [data-rac]') != null",
  )

/** Takes the picture of a screen, and returns what is wrong with it. */
async function take(windows: Windows, world: World, screen: Screen, variant: Variant) {
  const context = await windows.of(
    screen.as?.(world) ?? null,
    screen.isOperator === true ? 'super' : 'admin',
  )
  const page = await context.newPage()
  const problems: string[] = []
  const { origin } = new URL(world.url)
  watchPage(page, { origin, expected: screen.expected ?? [], problems })
  await page.goto(await screen.path(world))
  await page.locator(':is(h1, h2, [role=alert]):visible').first().waitFor()
  await screen.prepare?.({ world, page })
  await page.waitForTimeout(SETTLING_MS)
  await page.screenshot({ path: join(FOLDER, `${screen.name}.${variant.name}.png`) })
  problems.push(...(await findingsOf(page)))
  if (await isTooWide(page)) problems.push('is wider than the window')
  if (variant === VARIANTS[0]) {
    await page.setViewportSize(ENLARGED)
    await page.waitForTimeout(SETTLING_MS)
    await page.screenshot({ path: join(FOLDER, `${screen.name}.zoom-400.png`) })
    if (await isTooWide(page)) problems.push('is wider than the window at 400 %')
    if (!(await showsContent(page))) problems.push('shows no content at 400 %')
  }
  await page.close()
  return problems
}

if (CHROMIUM === null) process.exit(1)
const wanted = process.argv.slice(2)
const isWanted = ({ name }: { name: string }): boolean =>
  wanted.length === 0 || wanted.includes(name)
const orAll = <T>(some: readonly T[], all: readonly T[]): readonly T[] =>
  some.length === 0 ? all : some
const screens = orAll(SCREENS.filter(isWanted), SCREENS)
const variants = orAll(VARIANTS.filter(isWanted), VARIANTS)
mkdirSync(FOLDER, { recursive: true })
const [world, browser] = await Promise.all([
  World.create({ startMs: screensStartMs(), env: { EGRESS_ALLOW: '127.0.0.1' } }),
  launch(),
])
await furnish(world, (words) => paint(browser, words))
const live = new LiveWorld(world, browser)
for (const variant of variants) {
  const windows = new Windows(live, variant)
  for (const screen of screens) {
    try {
      for (const problem of await take(windows, world, screen, variant)) {
        console.error(`${screen.name} ${variant.name}: ${problem}`)
        process.exitCode = 1
      }
    } catch (error) {
      console.error(`${screen.name} ${variant.name}: ${String(error)}`)
      process.exitCode = 1
    }
  }
  await windows.close()
}
await live.stop()
console.log(`${FOLDER} has ${screens.length} screens in ${variants.length} variants`)
