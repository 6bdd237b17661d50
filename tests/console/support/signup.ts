import type { Locator, Page } from 'playwright-core'

import { SIGNUP_ENDS, type SignupEnd } from '../../../src/simulator/signup-dialog'
import type { World } from '../../support/world'

/** Shows the simulated dialog where the platform has its own. */
export async function showDialog(page: Page, { simulator }: World): Promise<void> {
  await page.context().route('https://www.facebook.com/**', async (route) => {
    const { pathname, search } = new URL(route.request().url())
    const answer = await fetch(simulator.url + pathname + search)
    await route.fulfill({
      status: answer.status,
      headers: { 'content-type': answer.headers.get('content-type') ?? '' },
      body: await answer.text(),
    })
  })
}

/** Presses what opens the dialog. Returns its window. */
export async function openDialog(page: Page, opener: Locator): Promise<Page> {
  const [popup] = await Promise.all([page.waitForEvent('popup'), opener.click()])
  await popup.getByRole('heading', { name: 'Simulated WhatsApp' }).waitFor()
  return popup
}

/** Ends the dialog, after ticking its boxes. */
export async function endDialog(
  popup: Page,
  end: SignupEnd,
  boxes: readonly string[] = [],
): Promise<void> {
  for (const box of boxes) await popup.getByText(box).click()
  await popup.getByRole('button', { name: SIGNUP_ENDS[end], exact: true }).click()
}
