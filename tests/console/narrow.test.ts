import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'

import type { Customer } from '../../src/simulator/customers'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, waitForSound, type Journey } from './support/journey'

/** A window of 1280 × 1024 pixels at 400 % (WCAG 2.2, 1.4.10). */
const ZOOMED = { width: 320, height: 256 }
/** Widths at which the contact lies over the conversation, or takes room from it. */
const WIDTHS = process.env['CONSOLE_LOOKS'] === 'all' ? [1_280, 1_024, 820, 390, 320] : [1_024, 320]

interface Box {
  top: number
  bottom: number
  left: number
  right: number
}

describe.skipIf(CHROMIUM === null)('a small window', () => {
  let live: LiveWorld
  let ana: Customer
  let journey: Journey
  let page: Page

  beforeAll(async () => {
    live = await LiveWorld.create()
    ana = live.world.simulator.customer({ phone: live.world.tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Are you open today?')
    journey = await live.open({ permissions: ['microphone', 'clipboard-write'] })
    ;({ page } = journey)
    await journey.signIn('admin')
    await page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).getByRole('link').click()
    await page.getByRole('log').getByText('Are you open today?').waitFor()
  }, 60_000)

  afterAll(() => live.stop())

  /** Whether what is drawn at the middle and at the ends of an element belongs to it. */
  const isOnTop = (element: Locator): Promise<boolean> =>
    element.evaluate((one) => {
      const { top, bottom, left, right } = one.getBoundingClientRect()
      const middle = (top + bottom) / 2
      return [left + 2, (left + right) / 2, right - 2].every((x) =>
        one.contains(one.ownerDocument.elementFromPoint(x, middle)),
      )
    })

  const untilOnTop = async (element: Locator): Promise<void> => {
    await element.waitFor()
    while (!(await isOnTop(element))) await page.waitForTimeout(20)
  }

  const boxOf = (element: Locator): Promise<Box> =>
    element.evaluate((one) => {
      const { top, bottom, left, right } = one.getBoundingClientRect()
      return { top, bottom, left, right }
    })

  test('at 400 % shows the messages, and what is written', async () => {
    await page.setViewportSize(ZOOMED)
    const bubble = page.getByRole('article').filter({ hasText: 'Are you open today?' })
    await untilOnTop(bubble)
    const { top, bottom } = await boxOf(bubble)
    expect(top).toBeGreaterThan(0)
    expect(bottom).toBeLessThan(ZOOMED.height)
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill('Yes, until six.')
    expect(await isOnTop(field)).toBe(true)
    const send = page.getByRole('button', { name: 'Send', exact: true })
    await send.scrollIntoViewIfNeeded()
    expect(await isOnTop(send)).toBe(true)
    await journey.requireAccessible()
    await send.click()
    const answer = page.getByRole('article').filter({ hasText: 'Yes, until six.' })
    await untilOnTop(answer)
    await page.goto('/inbox')
    const row = page.getByRole('listitem').filter({ hasText: 'Ana Sol' }).getByRole('link')
    await untilOnTop(row)
    // the bar is one line, below a row that is shown whole
    const bar = await boxOf(page.getByRole('navigation', { name: 'Main' }))
    expect(bar.bottom - bar.top).toBeLessThan(ZOOMED.height / 5)
    expect((await boxOf(row)).bottom).toBeLessThanOrEqual(bar.top)
    await page.goBack()
    await page.getByRole('log').getByText('Yes, until six.').waitFor()
  }, 60_000)

  test.each(WIDTHS)(
    'of %i pixels has room for a recording',
    async (width) => {
      await page.setViewportSize({ width, height: 800 })
      await page.getByRole('button', { name: 'Record a voice message' }).click()
      await waitForSound(page)
      const composer = page.locator('.composer')
      const buttons = composer.locator('.writer-tools').getByRole('button')
      const requireRoom = async (): Promise<void> => {
        const { left, right } = await boxOf(composer)
        for (const button of await buttons.all()) {
          const box = await boxOf(button)
          expect(box.left).toBeGreaterThanOrEqual(left)
          expect(box.right).toBeLessThanOrEqual(right)
          expect(await isOnTop(button)).toBe(true)
        }
      }
      await requireRoom()
      await page.getByRole('button', { name: 'Stop recording' }).click()
      await page.getByRole('button', { name: 'Discard recording' }).waitFor()
      await requireRoom()
      await page.getByRole('button', { name: 'Discard recording' }).click()
    },
    20_000,
  )

  test.each(WIDTHS)(
    'of %i pixels keeps notices off the tools of the composer',
    async (width) => {
      await page.setViewportSize({ width, height: 800 })
      const bubble = page.getByRole('article').filter({ hasText: 'Are you open today?' })
      await bubble.hover()
      await bubble.locator('..').getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Copy text' }).click()
      await page.locator('.toast').first().waitFor()
      for (const button of await page.locator('.composer').getByRole('button').all())
        expect(await isOnTop(button)).toBe(true)
      const closes = page.locator('.toast').getByRole('button', { name: 'Close' })
      while ((await closes.count()) > 0) await closes.first().click()
    },
    20_000,
  )
})
