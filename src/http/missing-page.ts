import { NotFoundError as RouteNotFound } from 'elysia'

import { nearestWord } from '../lib/nearest-word'
import { htmlPage, htmlResponse } from './html'

/** Whether a client prefers HTML, as browsers do. */
export const wantsPage = ({ headers }: Request): boolean =>
  /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/i.test(headers.get('accept') ?? '')

/**
 * Responds to a person who opened an address that does not exist: with a page that names the nearest
 * one of `known`, paths without the first slash. Throws RouteNotFound for programs, which get the error
 * of the API.
 */
export function missingResponse(request: Request, known: readonly string[]): Response {
  if (!wantsPage(request)) throw new RouteNotFound()
  const { pathname } = new URL(request.url)
  const [, ...folders] = pathname.split('/')
  const root = '../'.repeat(folders.length - 1) || './'
  const nearest = nearestWord(pathname.slice(1).toLowerCase(), known)
  const hint =
    nearest === null ? '' : `<p>Did you mean <a href="${root}${nearest}">/${nearest}</a>?</p>\n`
  const page = htmlPage(
    { title: 'Page not found · Switchboard', style: `${root}home.css` },
    `<h1>Page not found</h1>
<p>This server has no page at <code>${Bun.escapeHTML(pathname)}</code>.</p>
${hint}<p><a href="${root}">Console</a> · <a href="${root}docs">Documentation</a></p>`,
  )
  return htmlResponse(page, { status: 404 })
}
