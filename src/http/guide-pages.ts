import { Elysia } from 'elysia'

import { compressText, compressedResponse, type CompressedText } from './compressed-text'
import { guard } from './guard'
import { GUIDES, PAGES } from './guides'
import type { Http } from './http-deps'
import { htmlPage, HTML_HEADERS, PAGE_STYLE, STYLE_HEADERS } from './html'
import { missingResponse } from './missing-page'

/** Path of the style sheet of plain pages. */
export const STYLE_PATH = '/home.css'

/** Returns a function that finds a page of the documentation, `null` if there is none of a name. */
function findPages(): (name: string) => CompressedText | null {
  const made = new Map<string, CompressedText>()
  return (name) => {
    const known = made.get(name)
    const page = PAGES.find((each) => each.name === name)
    if (known || !page) return known ?? null
    const style = `${'../'.repeat(name.split('/').length)}${STYLE_PATH.slice(1)}`
    const text = compressText(
      htmlPage({ title: `${page.title} · Switchboard`, style }, page.html()),
    )
    made.set(name, text)
    return text
  }
}

/** Serves the documentation for users of the server, and the style of all its pages. */
export const guideRoutes = (http: Http) => {
  const find = findPages()
  return new Elysia()
    .use(guard(http))
    .get(
      STYLE_PATH,
      ({ request }) => compressedResponse(request, compressText(PAGE_STYLE), STYLE_HEADERS),
      { raw: 'Part of the documentation page.', detail: { hide: true } },
    )
    .get(
      '/docs/*',
      ({ request, params }) => {
        const page = find(params['*'])
        return page === null
          ? missingResponse(request, ['docs', ...GUIDES.map(({ name }) => `docs/${name}`)])
          : compressedResponse(request, page, HTML_HEADERS)
      },
      { raw: 'a guide', detail: { hide: true } },
    )
}
