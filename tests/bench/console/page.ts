import type { BrowserContext, CDPSession, Page } from 'playwright-core'

import { processorTimes } from './processor-times'

/** Records long tasks, slow frames, and when something was first shown, on the clock of the page. */
const PROBE = `{
  const found = (window.found = {})
  const wanted = { form: 'input[name=email]', row: '.row', bubble: '.bubble' }
  window.longTasks = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })
  window.look = () => {
    for (const [name, selector] of Object.entries(wanted))
      if (found[name] === undefined && document.querySelector(selector)) found[name] = performance.now()
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
  window.slowestFrame = 0
  let last = 0
  const frame = (now) => {
    if (last !== 0) slowestFrame = Math.max(slowestFrame, now - last)
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}`

/** Time after which something that is not shown counts as missing, milliseconds. */
const DEADLINE_MS = 60_000

/** How a device and its line are slowed down. */
export interface Slowness {
  cpu: number
  bitsPerSecond: number
  latencyMs: number
}

/** A page that is watched. */
export class WatchedPage {
  private constructor(
    readonly page: Page,
    private readonly cdp: CDPSession,
  ) {}

  static async open(context: BrowserContext, slowness?: Slowness): Promise<WatchedPage> {
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    if (slowness) {
      await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowness.cpu })
      await cdp.send('Network.enable')
      await cdp.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: slowness.latencyMs,
        downloadThroughput: slowness.bitsPerSecond / 8,
        uploadThroughput: slowness.bitsPerSecond / 8,
      })
    }
    await page.addInitScript(PROBE)
    return new WatchedPage(page, cdp)
  }

  private async read(expression: string): Promise<number> {
    return Number(await this.page.evaluate(expression))
  }

  /** Waits until something is shown. The policy of the page forbids Playwright's own way. */
  private async until(name: string): Promise<void> {
    const deadlineMs = performance.now() + DEADLINE_MS
    while ((await this.page.evaluate(`look(), found.${name} === undefined`)) === true) {
      if (performance.now() > deadlineMs) throw new Error(`no ${name} was shown`)
      await Bun.sleep(10)
    }
  }

  /** Opens an address. Returns after how many milliseconds something was shown. */
  async open(path: string, name: 'form' | 'row' | 'bubble'): Promise<number> {
    await this.page.goto(path)
    await this.until(name)
    return await this.read(`found.${name}`)
  }

  /** Clicks a row. Returns after how many milliseconds its messages were shown. */
  async openRow(row: string): Promise<number> {
    await this.page.evaluate(
      `delete found.bubble; window.clicked = performance.now(); document.querySelector('${row}').click()`,
    )
    await this.until('bubble')
    return await this.read('found.bubble - clicked')
  }

  /** Begins to watch for long tasks and slow frames anew. */
  async reset(): Promise<void> {
    await this.page.evaluate('longTasks.length = 0; slowestFrame = 0')
  }

  /** Returns how many tasks took over 50 ms, and the longest one, milliseconds. */
  async longTasks(): Promise<{ count: number; longestMs: number }> {
    return {
      count: await this.read('longTasks.length'),
      longestMs: await this.read('Math.max(0, ...longTasks)'),
    }
  }

  /** Does work, and returns the processor time of each task of the page meanwhile, milliseconds. */
  async taskTimesMs(work: () => Promise<unknown>): Promise<number[]> {
    const browser = this.page.context().browser()
    if (!browser) throw new Error('the page has no browser')
    await browser.startTracing(this.page, { categories: ['toplevel'] })
    await work()
    return processorTimes(await browser.stopTracing())
  }

  /** Does work, and returns how many bytes the API sent meanwhile, as they went over the line. */
  async bytesOf(work: () => Promise<unknown>): Promise<number> {
    await this.cdp.send('Network.enable')
    const asked = new Set<string>()
    let bytes = 0
    this.cdp.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (new URL(request.url).pathname.startsWith('/api/')) asked.add(requestId)
    })
    this.cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (asked.has(requestId)) bytes += encodedDataLength
    })
    await work()
    await this.cdp.send('Network.disable')
    return bytes
  }

  slowestFrameMs(): Promise<number> {
    return this.read('slowestFrame')
  }

  elements(selector: string): Promise<number> {
    return this.read(`document.querySelectorAll('${selector} *').length`)
  }

  /** Returns the size of what the page keeps, megabytes, after a collection of garbage. */
  async heapMb(): Promise<number> {
    await this.cdp.send('HeapProfiler.collectGarbage')
    const { usedSize } = await this.cdp.send('Runtime.getHeapUsage')
    return usedSize / 1_000_000
  }
}
