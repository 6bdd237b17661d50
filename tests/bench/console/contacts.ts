import type { Figure } from './figure'
import type { WatchedPage } from './page'
import { CONVERSATIONS } from './rows'

/** Turns of the wheel, each of so many pixels, in which some 1,900 rows pass. */
const TURNS = 300
const TURN_PX = 300
const TURN_MS = 40
/** Places in the list that are jumped to, as the bar is dragged. */
const JUMPS = [0.5, 0.1, 0.9, 0.33, 0.66]
const DEADLINE_MS = 30_000

/** Counts frames, those with an outline in place of a row, and those without a single row. */
const WATCH = `(() => {
  const count = (window.frames = { all: 0, outlined: 0, empty: 0 })
  const main = document.querySelector('main')
  const look = () => {
    const { top, bottom } = main.getBoundingClientRect()
    const seen = [...document.querySelectorAll('tbody > tr')].filter((row) => {
      const box = row.getBoundingClientRect()
      return box.bottom > top && box.top < bottom
    })
    count.all += 1
    if (seen.length === 0) count.empty += 1
    else if (seen.some((row) => row.matches('.row-outline'))) count.outlined += 1
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})()`

/** The table of many contacts: opened from another page, scrolled, its end, places far apart. */
export async function measureContacts(watched: WatchedPage): Promise<Figure[]> {
  const { page } = watched
  const read = async (expression: string): Promise<number> =>
    Number(await page.evaluate(expression))
  const until = async (condition: string): Promise<number> => {
    const startedMs = performance.now()
    while ((await page.evaluate(condition)) !== true) {
      if (performance.now() - startedMs > DEADLINE_MS) throw new Error(`never: ${condition}`)
      await Bun.sleep(5)
    }
    return performance.now() - startedMs
  }
  const hasRows = "document.querySelector('tbody > tr[data-row]') !== null"
  const isWhole = `(() => { const main = document.querySelector('main').getBoundingClientRect()
    const seen = [...document.querySelectorAll('tbody > tr')].filter((row) => { const box = row.getBoundingClientRect(); return box.bottom > main.top && box.top < main.bottom })
    return seen.length > 5 && seen.every((row) => row.matches('[data-row]')) })()`
  const opened: number[] = []
  for (let nth = 0; nth < 5; nth += 1) {
    await page.goto('/campaigns')
    await page.locator('h1').waitFor()
    await page.waitForTimeout(1_500)
    await page.evaluate('document.querySelector(\'nav a[href^="/contacts"]\').click()')
    opened.push(await until(hasRows))
  }
  const heapBefore = await watched.heapMb()
  await watched.reset()
  await page.evaluate(WATCH)
  await page.locator('tbody').hover()
  for (let nth = 0; nth < TURNS; nth += 1) {
    await page.mouse.wheel(0, TURN_PX)
    await page.waitForTimeout(TURN_MS)
  }
  const [all, outlined, empty] = [
    await read('frames.all'),
    await read('frames.outlined'),
    await read('frames.empty'),
  ]
  const slowest = await watched.slowestFrameMs()
  await page.locator('tbody > tr[data-row]').first().focus()
  await page.keyboard.press('End')
  const toEnd = await until(
    "document.activeElement?.ariaRowIndex === document.activeElement?.closest('table')?.ariaRowCount",
  )
  const jumps: number[] = []
  for (const part of JUMPS) {
    await page.evaluate(
      `(() => { const main = document.querySelector('main'); main.scrollTop = main.scrollHeight * ${part} })()`,
    )
    jumps.push(await until(isWhole))
  }
  await page.keyboard.press('Home')
  await until("document.activeElement?.getAttribute('aria-rowindex') === '2'")
  const table = `table of ${CONVERSATIONS.toLocaleString('en-US')} contacts`
  const ms = (what: string, value: number, limit: number | null): Figure => ({
    ...{ what: `${table}: ${what}`, value, unit: 'ms', limit },
  })
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[2] ?? 0
  const count = (what: string, value: number, limit: number | null): Figure => ({
    ...{ what: `${table}: ${what}`, value, unit: '', limit },
  })
  return [
    ms('first rows after the click on its place in the menu', median(opened), 300),
    ms('slowest frame while scrolling', slowest, 50),
    count(`frames without a row, of ${all} while ${(TURNS * TURN_PX) / 48} rows pass`, empty, 0),
    count('frames with an outline of a row, of these', outlined, 0),
    ms('End: the last row', toEnd, null),
    ms('a place far away: all rows in view', median(jumps), null),
    count('elements', await watched.elements('tbody'), null),
    {
      ...{ what: `${table}: growth of the heap by all of it`, unit: 'MB', limit: 60 },
      value: (await watched.heapMb()) - heapBefore,
    },
  ]
}
