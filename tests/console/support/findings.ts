import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { Page } from 'playwright-core'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Reports what a page was refused by its policy as an error of the page. */
export const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => {
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample)
})`

/** Runs axe on the page once nothing moves; returns one line for each problem (WCAG 2.2 AA). */
const RUN_AXE = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished)).then(() => axe.run(document, {
  resultTypes: ['violations'], // what is in order is not described
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  // React Aria's announcer for screen readers is an empty image
  rules: { 'role-img-alt': { enabled: false } },
})).then(({ violations }) => violations.map(({ id, nodes }) => ({
  id,
  // a list of React Aria that the keys of its search field walk through and scroll
  nodes: id === 'scrollable-region-focusable' ? nodes.filter(({ html }) => !/^<div id="react-aria[^>]*role="menu"/.test(html)) : nodes,
})).filter(({ nodes }) => nodes.length > 0).map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html.slice(0, 200) + ' ' + failureSummary).join(' | ').slice(0, 1200)))`

/** Returns what axe finds on the page as it is now, a line for each problem. */
export async function findingsOf(page: Page): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE)
  return await page.evaluate(RUN_AXE)
}

/** What a page may do. */
interface Watch {
  /** The only server that it may ask. */
  origin: string
  /** Errors that belong to what is done, such as a wrong password. */
  expected: readonly RegExp[]
  /** Where the others are noted. */
  problems: string[]
}

/** Notes every error of a page, what its policy refused, and requests to elsewhere. */
export function watchPage(page: Page, { origin, expected, problems }: Watch): void {
  page.on('console', (message) => {
    const text = `${message.text()} (${message.location().url})`
    const isWrong = message.type() === 'error' || text.includes('Permissions-Policy')
    if (isWrong && !expected.some((one) => one.test(text))) problems.push(text)
  })
  page.on('pageerror', (error) => problems.push(error.stack ?? error.message))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (/^https?:$/.test(url.protocol) && url.origin !== origin)
      problems.push(`request to ${url.href}`)
  })
}
