import type { Locator, Page } from 'playwright-core'

/** More than this many times nobody presses Tab on one page. */
const MOST_TABS = 90

const hasFocus = (what: Locator): Promise<boolean> =>
  what.evaluate((element) => element === element.ownerDocument.activeElement)

/** Presses Tab until something has the focus. Throws where the keyboard does not reach it. */
export async function tabTo(page: Page, what: Locator): Promise<void> {
  await what.waitFor()
  for (let step = 0; step < MOST_TABS; step += 1) {
    if (await hasFocus(what)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the keyboard does not reach ${String(what)}`)
}

/** Presses a key on something that Tab leads to. */
export async function pressOn(page: Page, what: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, what)
  await page.keyboard.press(key)
}

/** Writes into a field that Tab leads to, in place of what is there. */
export async function typeInto(page: Page, what: Locator, text: string): Promise<void> {
  await pressOn(page, what, 'ControlOrMeta+a')
  await page.keyboard.type(text)
}
