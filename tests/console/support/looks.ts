import type { BrowserContextOptions } from 'playwright-core'

/** A window, its colors, and the direction in which its language is read. */
interface Look extends Pick<BrowserContextOptions, 'viewport' | 'colorScheme'> {
  dir: 'ltr' | 'rtl'
}

const LOOKS = {
  desk: { colorScheme: 'light', viewport: { width: 1_280, height: 800 }, dir: 'ltr' },
  phone: { colorScheme: 'dark', viewport: { width: 390, height: 844 }, dir: 'rtl' },
  enlarged: { colorScheme: 'light', viewport: { width: 360, height: 225 }, dir: 'ltr' },
} satisfies Record<string, Look>

/** The looks in which a part is tried: this one, or with `CONSOLE_LOOKS=all` every one. */
export const looks = (one: keyof typeof LOOKS): Look[] =>
  process.env['CONSOLE_LOOKS'] === 'all' ? Object.values(LOOKS) : [LOOKS[one]]
