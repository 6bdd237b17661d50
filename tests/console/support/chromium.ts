import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const WHOLE = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/**
 * Returns the path of a Chromium: the one in `CHROMIUM`, an installed one of these names, or
 * Playwright's own.
 */
function findChromium(names: string[]): string | null {
  const named = process.env['CHROMIUM']
  const candidates = [named, ...names.map((name) => Bun.which(name)), chromium.executablePath()]
  return candidates.find((path) => path && existsSync(path)) ?? null
}

/**
 * Path of the browser of these tests; `null` if there is none on this machine. The shell has no
 * windows, and takes up to a third less processor time.
 */
export const CHROMIUM = findChromium(['chromium-headless-shell', ...WHOLE])

/** Path of a browser that shows notifications, as the shell does not. */
export const WHOLE_CHROMIUM = findChromium(WHOLE)

if (CHROMIUM === null)
  process.stderr.write(
    'No Chromium was found, so the tests of the web console are skipped. Install one, or set CHROMIUM to its path.\n',
  )

/**
 * What the whole browser leaves out: pages of its own in every window, which take as much processor
 * time as ours. Only the last list of features counts, so it repeats what Playwright leaves out.
 */
const LEFT_OUT = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/**
 * Scripts of a page that lives for seconds: functions are compiled when they are called, and none by
 * the last two compilers, which take a tenth of the processor time of a page.
 */
const SHORT_LIVED = '--js-flags=--max-lazy,--no-opt,--no-maglev'

/** Starts a browser, with more flags if a test needs them. */
export const launch = (flags: string[] = [], path = CHROMIUM): Promise<Browser> =>
  chromium.launch({
    executablePath: path ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      SHORT_LIVED,
      `--disable-features=${LEFT_OUT.join(',')}`,
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      ...flags,
    ],
  })
