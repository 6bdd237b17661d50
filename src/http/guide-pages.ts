import { Elysia, NotFoundError as RouteNotFound } from 'elysia'

import { guard } from './guard'
import { GUIDES } from './guides'
import type { Http } from './http-deps'
import { htmlResponse, htmlPage, PAGE_STYLE, textResponse } from './html'

/** Path of the style sheet of plain pages. */
export const STYLE_PATH = '/home.css'

/** Serves the guides for users of the server, and the style of all pages of documentation. */
export const guideRoutes = (http: Http) =>
  new Elysia()
    .use(guard(http))
    .get(STYLE_PATH, () => textResponse(PAGE_STYLE, 'text/css'), {
      raw: 'Part of the documentation page.',
      detail: { hide: true },
    })
    .get(
      '/docs/:guide',
      ({ params }) => {
        const guide = GUIDES.find(({ name }) => name === params.guide)
        if (!guide) throw new RouteNotFound()
        return htmlResponse(
          htmlPage(
            { title: `${guide.title} · Switchboard`, style: `..${STYLE_PATH}` },
            guide.html(),
          ),
        )
      },
      { raw: 'a guide', detail: { hide: true } },
    )
