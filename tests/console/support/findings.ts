import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { Page } from 'playwright-core'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Reports what a page was refused by its policy as an error of the page. */
export const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => {
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample)
})`

/** What axe tells about the page that it is loaded into. */
interface Axe {
  run(
    within: unknown,
    options: object,
  ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
}

/**
 * Runs axe on a part of the page once nothing moves; returns one line for each problem (WCAG 2.2 AA).
 * It runs in the page, so it may use nothing from here.
 */
async function runAxe(within: unknown): Promise<string[]> {
  const { axe, document } = globalThis as unknown as {
    axe: Axe
    document: {
      getAnimations(): {
        effect: { getComputedTiming(): { endTime: number } }
        finished: Promise<unknown>
      }[]
    }
  }
  await Promise.allSettled(
    document
      .getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished),
  )
  const { violations } = await axe.run(within, {
    resultTypes: ['violations'], // what is in order is not described
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    // React Aria's announcer for screen readers is an empty image
    rules: { 'role-img-alt': { enabled: false } },
  })
  // a list of React Aria that the keys of its search field walk through and scroll
  const isWalked = (html: string): boolean => /^<div id="react-aria[^>]*role="menu"/.test(html)
  return violations
    .map(({ id, nodes }) => ({
      id,
      nodes:
        id === 'scrollable-region-focusable' ? nodes.filter(({ html }) => !isWalked(html)) : nodes,
    }))
    .filter(({ nodes }) => nodes.length > 0)
    .map(({ id, nodes }) => {
      const told = nodes.map(
        ({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`,
      )
      return `${id}: ${told.join(' | ').slice(0, 1200)}`
    })
}

/** Returns what axe finds on the page, or in one part of it, as it is now: a line for each problem. */
export async function findingsOf(page: Page, within = page.locator(':root')): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE)
  return await within.evaluate(runAxe)
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
