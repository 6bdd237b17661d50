import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** Returns the path of a Chromium: the one in `CHROMIUM`, an installed one, or Playwright's own. */
function findChromium(): string | null {
  const named = process.env['CHROMIUM']
  const candidates = [named, ...NAMES.map((name) => Bun.which(name)), chromium.executablePath()]
  return candidates.find((path) => path && existsSync(path)) ?? null
}

/** Path of the browser of these tests; `null` if there is none on this machine. */
export const CHROMIUM = findChromium()

if (CHROMIUM === null)
  process.stderr.write(
    'No Chromium was found, so the tests of the web console are skipped. Install one, or set CHROMIUM to its path.\n',
  )

/** Starts a browser, with more flags if a test needs them. */
export const launch = (flags: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      ...flags,
    ],
  })
