import type { Browser, BrowserContext } from 'playwright-core'

import { ADMINS, APP_SECRET, Installation } from '../../chaos/installation'
import { launch } from '../../console/support/chromium'
import { machineOf, save } from '../report'
import { makeLargeFlow, measureCanvas } from './canvas'
import { measureContacts } from './contacts'
import { shown, tableOf, type Figure } from './figure'
import { measureFiles } from './files'
import { WatchedPage, type Slowness } from './page'
import { CONVERSATIONS, fillConsole, LONG_CONVERSATION, LONG_THREAD } from './rows'
import { writeEvenly } from './traffic'

const PASSWORD = 'correct horse battery'
/** A phone of the middle class on a poor line. */
const SLOW: Slowness = { cpu: 4, bitsPerSecond: 1_600_000, latencyMs: 150 }
const PAGES_SCROLLED = 30
/** A key that is held down for three seconds. */
const KEY_REPEATS = 90
const REPEAT_MS = 33
/** Eight hours with ten messages a minute and a conversation opened every two minutes. */
const HOURS = 8
const MESSAGES_PER_HOUR = 600
const OPENED_PER_HOUR = 30

type State = Awaited<ReturnType<BrowserContext['storageState']>>

/** Everything the measurements need. */
interface Bench {
  browser: Browser
  url: string
  signedIn: State
}

const ms = (what: string, value: number, limit: number | null): Figure => ({
  what,
  value,
  unit: 'ms',
  limit,
})

/** Opens a fresh window, without anything in its cache. */
const fresh = ({ browser, url }: Bench, storageState?: State): Promise<BrowserContext> =>
  browser.newContext({
    baseURL: url,
    viewport: { width: 1_440, height: 900 },
    ...(storageState ? { storageState } : {}),
  })

async function signIn(browser: Browser, url: string): Promise<State> {
  const context = await browser.newContext({ baseURL: url })
  const page = await context.newPage()
  await page.goto('/inbox')
  await page.locator('input[name=email]').fill(ADMINS[0])
  await page.locator('input[name=password]').fill(PASSWORD)
  await page.locator('button[type=submit]').click()
  await page.locator('.row').first().waitFor()
  const state = await context.storageState()
  await context.close()
  return state
}

/** The sign-in form and the inbox: from nothing, and with the files in the cache of the browser. */
async function measureStart(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const slowness of [undefined, SLOW]) {
    const how = slowness ? 'CPU 4×, 1.6 Mbit/s' : 'full speed'
    const visitor = await fresh(bench)
    const form = async (): Promise<number> => {
      const watched = await WatchedPage.open(visitor, slowness)
      return await watched.open('/login', 'form')
    }
    figures.push(ms(`sign-in form, cold, ${how}`, await form(), slowness ? null : 500))
    figures.push(ms(`sign-in form, warm, ${how}`, await form(), slowness ? null : 500))
    await visitor.close()
    const user = await fresh(bench, bench.signedIn)
    const inbox = async (): Promise<number> => {
      const watched = await WatchedPage.open(user, slowness)
      return await watched.open('/inbox', 'row')
    }
    figures.push(ms(`usable inbox, cold, ${how}`, await inbox(), slowness ? 2_500 : null))
    figures.push(ms(`usable inbox, warm, ${how}`, await inbox(), slowness ? null : 1_000))
    bench.signedIn = await user.storageState()
    await user.close()
  }
  return figures
}

/** The list of many conversations, scrolled page after page. */
async function measureList(page: WatchedPage): Promise<Figure[]> {
  await page.reset()
  for (let index = 0; index < PAGES_SCROLLED; index += 1) {
    await page.page.evaluate("document.querySelector('.rows').scrollTop += 3_400")
    await page.page.waitForTimeout(150)
  }
  const [slowest, elements, heap] = [
    await page.slowestFrameMs(),
    await page.elements('.rows'),
    await page.heapMb(),
  ]
  await page.page.evaluate("document.querySelector('.rows').scrollTop = 0")
  const list = `list of ${CONVERSATIONS.toLocaleString('en-US')} conversations`
  return [
    { what: `${list}: elements`, value: elements, unit: '', limit: null },
    { what: `${list}: heap after ${PAGES_SCROLLED} pages`, value: heap, unit: 'MB', limit: 60 },
    ms(`${list}: slowest frame while scrolling`, slowest, 50),
  ]
}

/** Walking through the list with a key that is held down. */
async function measureKeys(page: WatchedPage): Promise<Figure[]> {
  await page.page.locator('.row').first().click()
  await page.page.waitForTimeout(1_000)
  await page.page.keyboard.press('Escape')
  await page.reset()
  let requests = 0
  page.page.on('request', (request) => {
    if (request.url().includes('/api/')) requests += 1
  })
  const before = page.page.url()
  for (let repeat = 0; repeat < KEY_REPEATS; repeat += 1) {
    await page.page.keyboard.down('j')
    await page.page.waitForTimeout(REPEAT_MS)
  }
  await page.page.keyboard.up('j')
  await page.page.waitForTimeout(1_000)
  if (page.page.url() === before) throw new Error('the key did nothing')
  await page.page.evaluate("document.querySelector('.rows').scrollTop = 0")
  const { longestMs } = await page.longTasks()
  return [
    { what: 'J held for 3 s: requests', value: requests, unit: '', limit: 10 },
    ms('J held for 3 s: slowest frame', await page.slowestFrameMs(), null),
    ms('J held for 3 s: longest task', longestMs, 50),
  ]
}

/** A conversation of many messages. */
async function measureThread(page: WatchedPage): Promise<Figure[]> {
  const row = `.row[href*="${LONG_CONVERSATION}"]`
  await page.page.locator(row).waitFor()
  let opened = 0
  const bytes = await page.bytesOf(async () => {
    opened = await page.openRow(row)
    await page.page.waitForTimeout(500)
  })
  const elements = await page.elements('.messages')
  await page.reset()
  await page.page.locator('.messages').hover()
  for (let step = 0; step < 60; step += 1) {
    await page.page.mouse.wheel(0, -2_000)
    await page.page.waitForTimeout(50)
  }
  const thread = `thread of ${LONG_THREAD.toLocaleString('en-US')} messages`
  return [
    ms(`${thread}: opened`, opened, 400),
    { what: `${thread}: sent to open it`, value: bytes / 1_000, unit: 'KB', limit: 8 },
    { what: `${thread}: elements`, value: elements, unit: '', limit: 400 },
    ms(`${thread}: slowest frame while scrolling up`, await page.slowestFrameMs(), null),
    {
      what: `${thread}: elements after it`,
      value: await page.elements('.messages'),
      unit: '',
      limit: 400,
    },
  ]
}

/** Events while a conversation is open. */
async function measureEvents(page: WatchedPage, url: string): Promise<Figure[]> {
  const at = { url, secret: APP_SECRET }
  // somebody who follows a conversation stands at its end
  await page.page.locator('.to-end button').click()
  await page.page.waitForTimeout(2_000)
  await page.reset()
  let rate = 0
  // browser, server and customers share the cores: a task waits for them, which its processor time leaves out
  const taskTimesMs = await page.taskTimesMs(async () => {
    rate = await writeEvenly(at, { count: 1_000, perSecond: 100, customers: 200 })
    await page.page.waitForTimeout(1_000)
  })
  const { count, longestMs } = await page.longTasks()
  const events = `${Math.round(rate)} events a second`
  return [
    { what: `${events}: tasks over 50 ms`, value: count, unit: '', limit: 0 },
    ms(`${events}: longest task`, longestMs, 50),
    ms(`${events}: longest task, its processor time`, Math.max(...taskTimesMs), 50),
  ]
}

/** A day of work in a tab that is never closed. */
async function measureDay(page: WatchedPage, url: string): Promise<Figure[]> {
  const at = { url, secret: APP_SECRET }
  const heaps: number[] = []
  for (let hour = 0; hour < HOURS; hour += 1) {
    for (let opened = 0; opened < OPENED_PER_HOUR; opened += 1) {
      const count = MESSAGES_PER_HOUR / OPENED_PER_HOUR
      await writeEvenly(at, { count, perSecond: 100, customers: 200 })
      await page.openRow(`li:nth-child(${(opened % 8) + 1}) .row`)
    }
    heaps.push(await page.heapMb())
  }
  const growth = (heaps.at(-1) ?? 0) - (heaps[0] ?? 0)
  return [
    {
      what: `heap after the first of ${HOURS} hours`,
      value: heaps[0] ?? 0,
      unit: 'MB',
      limit: null,
    },
    { what: `its growth until the last`, value: growth, unit: 'MB', limit: 20 },
  ]
}

/**
 * Measures the budgets of the web console in a real browser: size, time to the first screen, large
 * lists and threads, heavy traffic and a long day. `isSaved` writes the table to `results`. The word
 * `contacts` measures the table of contacts only, `canvas` the canvas of a large flow.
 */
export async function benchConsole(options: { isSaved: boolean; words: string[] }): Promise<void> {
  const installation = new Installation({})
  const browser = await launch()
  try {
    await (await installation.start()).stop()
    fillConsole(installation.databasePath)
    await using server = await installation.start()
    server.ignoreOutput()
    const { url } = server
    const bench: Bench = { browser, url, signedIn: await signIn(browser, url) }
    const parts = ['contacts', 'canvas'].filter((part) => options.words.includes(part))
    const isPart = parts.length > 0
    const isWanted = (part: string): boolean => !isPart || parts.includes(part)
    const figures: Figure[] = []
    /** Keeps what was measured, and says it at once: a later part may fail. */
    const add = (part: Figure[]): void => {
      figures.push(...part)
      for (const { what, value, unit } of part) console.log(`${what}: ${shown(value)} ${unit}`)
    }
    if (!isPart) {
      add(await measureFiles())
      add(await measureStart(bench))
    }
    const context = await fresh(bench, bench.signedIn)
    const page = await WatchedPage.open(context)
    if (!isPart) {
      await page.open('/inbox', 'row')
      add(await measureList(page))
      add(await measureKeys(page))
      add(await measureThread(page))
      add(await measureEvents(page, url))
      add(await measureDay(page, url))
    }
    if (isWanted('contacts')) add(await measureContacts(page))
    if (isWanted('canvas')) {
      const flow = await makeLargeFlow(url, { email: ADMINS[0], password: PASSWORD })
      add(await measureCanvas(page, flow))
    }
    const report = [machineOf(installation.folder), '', tableOf(figures)].join('\n')
    console.log(`\n${report}\n`)
    if (options.isSaved && !isPart) save('console', report)
  } finally {
    await browser.close()
    installation.remove()
  }
}
