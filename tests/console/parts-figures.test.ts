import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'
import { looks } from './support/looks'

describe.skipIf(CHROMIUM === null)('the parts of reports', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
  }, 60_000)

  afterAll(() => live.stop())

  const open = async ({ dir, ...look }: ReturnType<typeof looks>[number]) => {
    const journey = await live.open({ path: '/dev/parts', ...look })
    await journey.signIn('admin')
    const { page } = journey
    await page.evaluate(`document.documentElement.dir = '${dir}'`)
    await page.getByRole('textbox', { name: 'TextField' }).waitFor()
    return {
      journey,
      page,
      says: (label: string, text: string) =>
        page
          .getByLabel(label, { exact: true })
          .and(page.getByText(text, { exact: true }))
          .waitFor(),
    }
  }

  test.each(looks('phone'))(
    'days are chosen in %j',
    async (look) => {
      const { journey, page, says } = await open(look)
      const button = page.getByRole('button', { name: /^DateRange/ })

      // presets go on with the calendar, and are marked
      await button.click()
      const panel = page.getByRole('dialog', { name: 'DateRange' })
      await panel.getByRole('button', { name: 'Last 7 days', pressed: true }).waitFor()
      await journey.requireAccessible()
      await panel.getByRole('button', { name: 'Last 30 days' }).click()
      await panel.waitFor({ state: 'detached' })
      await says('days', '30d')

      // with the keys alone: from the last day to the one three days before, backwards
      await button.focus()
      await page.keyboard.press('Enter')
      await panel.getByRole('grid').waitFor()
      await panel.locator('[role=gridcell] [tabindex="0"]').focus()
      await page.keyboard.press('Enter')
      // the keys go on to the day before, as there is none after the last one
      for (let nth = 0; nth < 2; nth += 1) await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('Enter')
      await panel.waitFor({ state: 'detached' })
      const day = (before: number): string =>
        new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10)
      await says('days', `${day(3)}_${day(0)}`)

      // one day, written or chosen
      const field = page.getByRole('group', { name: 'DateField', exact: true })
      await field.getByRole('spinbutton', { name: /^month/i }).focus()
      await page.keyboard.type('02152026')
      await says('day', '2026-02-15')
      await field.getByRole('button', { name: /^Open the calendar/ }).click()
      const calendar = page.getByRole('dialog', { name: /DateField/ })
      await calendar.getByRole('button', { name: /February 20/ }).click()
      await says('day', '2026-02-20')
      await field.getByRole('button', { name: /^Open the calendar/ }).click()
      await calendar.getByRole('grid').waitFor()
      await journey.requireAccessible()
      expect(
        await calendar.getByRole('button', { name: /February 9/, disabled: true }).count(),
      ).toBe(1)
      await page.keyboard.press('Escape')
      await calendar.waitFor({ state: 'detached' })
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
      await journey.finish()
    },
    60_000,
  )

  test.each(looks('desk'))(
    'charts tell their values in %j',
    async (look) => {
      const { journey, page, says } = await open(look)
      const chart = page.getByRole('figure', { name: 'Chart' })
      const plot = chart.getByRole('slider')
      const show = async (kind: string): Promise<void> => {
        await page.getByRole('button', { name: / Kind$/ }).click()
        await page.getByRole('option', { name: kind, exact: true }).click()
        await journey.requireAccessible(chart)
      }
      const value = () => plot.getAttribute('aria-valuetext')

      // the keys go from point to point, in the direction of time on the screen, and open one
      await plot.focus()
      await page.keyboard.press('Home')
      expect(await value()).toBe('Day 1, values: 40, more values: 0, before: 30, limit: 90')
      await page.keyboard.press(look.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight')
      expect(await value()).toBe('Day 2, values: 77, more values: 1, before: 31, limit: 90')
      await chart.locator('.chart-values').getByText('Day 2').waitFor()
      await journey.requireAccessible()
      await page.keyboard.press('Enter')
      await says('opened', 'Day 2')

      // what a glance tells is told in words, and a gap is none of the values
      const described = await plot.getAttribute('aria-describedby')
      expect(await page.locator(`[id="${described}"]`).textContent()).toContain(
        'values: most 97 (Day 22), least 40 (Day 1).',
      )

      // the pointer tells the value it is nearest to, and a press opens it
      const box = await plot.boundingBox()
      const end = { x: look.dir === 'rtl' ? 3 : (box?.width ?? 0) - 3, y: 120 }
      await plot.hover({ position: end })
      await chart.locator('.chart-values').getByText('Day 30').waitFor()
      await plot.click({ position: end })
      await says('opened', 'Day 30')

      // the same figures as a table
      await chart.getByRole('button', { name: 'Show as a table' }).click()
      const rows = await chart.locator('tbody tr').allInnerTexts()
      expect(rows).toHaveLength(30)
      expect(rows[7]?.split(/\s*\t\s*/)).toEqual(['Day 8', '–', '4', '37', '90'])
      await journey.requireAccessible()
      await chart.getByRole('button', { name: 'Show as a chart' }).click()

      // and as a picture of its own, with its looks
      const save = async (item: string): Promise<Buffer> => {
        await chart.getByRole('button', { name: 'Save', exact: true }).click()
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('menuitem', { name: item }).click(),
        ])
        return Buffer.from(await Bun.file(await file.path()).arrayBuffer())
      }
      const drawing = (await save('Drawing (SVG)')).toString()
      expect(drawing).toStartWith('<svg')
      expect(drawing).toMatch(/stroke="rgb\(\d+, \d+, \d+\)"/)
      expect(drawing).toContain('>more values</text>')
      expect([...(await save('Picture (PNG)')).subarray(1, 4)]).toEqual([...Buffer.from('PNG')])
      await chart.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Table (CSV)' }).click()
      await says('opened', 'csv')

      for (const kind of ['bar', 'stacked', 'rows', 'funnel', 'loading', 'old', 'empty'])
        await show(kind)
      await chart.getByText('There is nothing to show').waitFor()
      await show('funnel')
      await chart.locator('svg').getByText('11,870 · 96.2%').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
      await journey.finish()
    },
    60_000,
  )
})
