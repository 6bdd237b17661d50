import type { Page } from 'playwright-core'

import { launch } from '../console/support/chromium'
import { LiveWorld } from '../console/support/journey'
import { World } from '../support/world'
import { fillYear } from './reports'
import { save } from './report'

const TABS = ['messages', 'people', 'bot', 'campaigns', 'costs', 'quality'] as const
/** Times that each page is opened; the first one is not counted. */
const RUNS = 6
const DAY_MS = 86_400_000

/** Waits until no figure is missing and the chart is drawn. */
async function shown(page: Page): Promise<void> {
  const figures = page.locator('[data-figure]')
  await figures.first().waitFor()
  await figures.filter({ hasText: '…' }).first().waitFor({ state: 'detached' })
  await page.locator('.chart[aria-busy=true]').first().waitFor({ state: 'detached' })
}

const middle = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

/** Measures how long the reports on a year of 5,000,000 messages take until they are read. */
export async function benchReportPages({ isSaved }: { isSaved: boolean }): Promise<void> {
  const world = await World.create({ startMs: Date.now(), tenants: 1 })
  await world.contactOf()
  fillYear(world.program.http.db.sqlite, world.clock.nowMs())
  const live = new LiveWorld(world, await launch())
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
  const days = `${day(Date.now() - 364 * DAY_MS)}_${day(Date.now())}`
  const journey = await live.open({ path: '/analytics/messages' })
  await journey.signIn('admin')
  const { page } = journey
  const lines = [
    '| report on a year | opened from another one, ms | opened by its address, ms |',
    '| --- | ---: | ---: |',
  ]
  for (const tab of TABS) {
    const times = { inside: [] as number[], address: [] as number[] }
    for (let run = 0; run < RUNS; run += 1) {
      await page.goto(`/analytics/board?days=${days}`)
      await page.locator('.board').waitFor()
      const startedMs = performance.now()
      await page.locator(`.tabs a[href*="/analytics/${tab}"]`).click()
      await shown(page)
      const insideMs = performance.now() - startedMs
      const againMs = performance.now()
      await page.goto(`/analytics/${tab}?days=${days}`)
      await shown(page)
      if (run === 0) continue
      times.inside.push(insideMs)
      times.address.push(performance.now() - againMs)
    }
    lines.push(
      `| ${tab} | ${middle(times.inside).toFixed(0)} | ${middle(times.address).toFixed(0)} |`,
    )
  }
  await live.stop()
  const report = lines.join('\n')
  console.log(`\n${report}\n`)
  if (isSaved) save('report-pages', report)
}
