import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { expect } from 'bun:test'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'

import { PASSWORD, World, type Person, type Tenant, type WorldOptions } from '../../support/world'
import { launch } from './chromium'
import { findingsOf, REPORT_VIOLATIONS, watchPage } from './findings'

/** Folder for pictures of the screens; none are taken if it is not set. */
const SHOTS = process.env['CONSOLE_SHOTS']
const DESKTOP = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

/** What a browser reports when a token or ticket expired because a test set the clock forward. */
export const EXPIRED = /status of 401|HTTP Authentication failed/

/** How often the work of a world is done while a browser looks at it, milliseconds. */
const PUMP_MS = 25

/** A browser, and the server that it looks at. */
export interface Place {
  browser: Browser
  url: string
  /** The world of the server, if it runs in this process. */
  world?: World
}

/** The real server with the simulated platform, whose time and work go on by themselves. */
export class LiveWorld implements Place {
  private isStopped = false
  private readonly pump: Promise<void>

  /** Takes over a world that exists: its time becomes the present, and goes on. */
  constructor(
    readonly world: World,
    readonly browser: Browser,
  ) {
    this.pump = this.work()
  }

  /** Creates a world at the present time, and a browser. */
  static async create(options: WorldOptions = {}): Promise<LiveWorld> {
    const [world, browser] = await Promise.all([
      World.create({ startMs: Date.now(), tenants: 1, ...options }),
      launch(),
    ])
    return new LiveWorld(world, browser)
  }

  get url(): string {
    return this.world.url
  }

  private async work(): Promise<void> {
    const { clock } = this.world
    clock.advance({ ms: Math.max(0, Date.now() - clock.nowMs()) })
    let lastMs = Math.floor(performance.now())
    while (!this.isStopped) {
      // goes on even if a test set it forward: what is throttled waits for it
      const nowMs = Math.floor(performance.now())
      clock.advance({ ms: nowMs - lastMs })
      lastMs = nowMs
      await this.world.settle()
      this.world.program.realtime.sockets.sweep()
      await Bun.sleep(PUMP_MS)
    }
  }

  /** Opens a browser window for one person. */
  async open(options: JourneyOptions = {}): Promise<Journey> {
    return await Journey.open(this, options)
  }

  async stop(): Promise<void> {
    await this.browser.close()
    this.isStopped = true
    await this.pump
    await this.world.stop()
  }
}

/** Presses Escape in a dialog once it has the focus, which may come after it is shown. */
export async function pressEscapeIn(dialog: Locator): Promise<void> {
  const page = dialog.page()
  const focused = page.locator(':focus')
  await dialog.and(focused).or(dialog.locator(focused)).first().waitFor()
  await page.keyboard.press('Escape')
}

/** Closes a dialog with the Escape key. */
export async function closeWithEscape(dialog: Locator): Promise<void> {
  await pressEscapeIn(dialog)
  await dialog.waitFor({ state: 'detached' })
}

/** Waits until a voice message has been recorded for a second: before, it may hold no sound. */
export const waitForSound = (page: Page): Promise<void> =>
  page
    .locator('.voice time')
    .getByText(/0:0[1-9]|0:[1-5]\d/)
    .waitFor()

/** How a person looks at the console. */
export interface JourneyOptions extends BrowserContextOptions {
  path?: string
  /** Error messages of the browser that belong to the journey, such as a wrong password. */
  expected?: RegExp[]
}

/** What one person does in a browser. It fails on every error of the page. */
export class Journey {
  private readonly problems: string[] = []
  /** Requests to the API so far, as method and path. */
  readonly requests: string[] = []

  private constructor(
    readonly page: Page,
    private readonly place: Place,
    private readonly expected: RegExp[],
    private readonly baseURL: string,
  ) {
    this.watch(page)
  }

  private watch(page: Page): void {
    const { origin } = new URL(this.baseURL)
    watchPage(page, { origin, expected: this.expected, problems: this.problems })
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.pathname.startsWith('/api/'))
        this.requests.push(`${request.method()} ${url.pathname}`)
    })
  }

  static async open(
    place: Place,
    { path = '/inbox', expected = [], ...options }: JourneyOptions,
  ): Promise<Journey> {
    const context = await place.browser.newContext({
      viewport: DESKTOP,
      locale: 'en',
      baseURL: place.url,
      permissions: ['microphone'],
      // what moves takes processor time with each frame, and some look at it where it should rest
      reducedMotion: 'reduce',
      ...options,
    })
    context.setDefaultTimeout(20_000)
    await context.addInitScript(REPORT_VIOLATIONS)
    const page = await context.newPage()
    const journey = new Journey(page, place, expected, options.baseURL ?? place.url)
    await page.goto(path)
    return journey
  }

  /** Opens another tab of the same browser, which is watched too. */
  async openTab(path = '/inbox'): Promise<Page> {
    const page = await this.page.context().newPage()
    this.watch(page)
    await page.goto(path)
    return page
  }

  /** Fills in the sign-in form. */
  async enter(email: string, password: string): Promise<void> {
    await this.page.getByRole('textbox', { name: 'Email' }).fill(email)
    await this.page.locator('input[name=password]').fill(password)
    await this.page.getByRole('button', { name: 'Sign in' }).click()
  }

  /** Signs in as a user of the world. */
  async signIn(person: Person, tenant?: Tenant): Promise<void> {
    const { world } = this.place
    if (!world) throw new Error('the server has no world whose users are known')
    await this.enter(world.emailOf(person, tenant ?? world.tenant), PASSWORD)
    await this.page.getByRole('navigation', { name: 'Main' }).waitFor()
  }

  /** Waits until something is seen. What was wrong with the page says more than that it is not. */
  async see(target: Locator): Promise<void> {
    await target.waitFor().catch((error: unknown) => {
      if (this.problems.length === 0) throw error
    })
    expect(this.problems).toEqual([])
  }

  /**
   * Requires that axe finds nothing on the page as it is now, or in the part of it that changed since
   * it was asked: a large page takes a second of a processor.
   */
  async requireAccessible(within?: Locator): Promise<void> {
    expect(await findingsOf(this.page, within)).toEqual([])
  }

  /** Takes pictures of the page: light, dark, and on a phone from right to left. */
  async picture(name: string): Promise<void> {
    if (SHOTS === undefined) return
    mkdirSync(SHOTS, { recursive: true })
    const { page } = this
    const take = (kind: string) => page.screenshot({ path: join(SHOTS, `${name}-${kind}.png`) })
    await take('light')
    await page.emulateMedia({ colorScheme: 'dark' })
    await take('dark')
    await page.setViewportSize(PHONE)
    const dir = await page.evaluate<string>('document.documentElement.dir')
    await page.evaluate("document.documentElement.dir = 'rtl'")
    await take('phone')
    await page.evaluate(`document.documentElement.dir = '${dir}'`)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(DESKTOP)
  }

  /** Ends the journey: nothing was wrong on the page, and axe finds nothing. */
  async finish(): Promise<void> {
    await this.requireAccessible()
    expect(this.problems).toEqual([])
    await this.page.context().close()
  }
}
