import { Elysia, NotFoundError as RouteNotFound } from 'elysia'

import { guard } from './guard'
import { GUIDES } from './guides'
import type { Http } from './http-deps'
import { htmlResponse, htmlPage, PAGE_STYLE, textResponse } from './html'

const STYLE_PATH = '/home.css'

/**
 * The start page. Its links are relative, so that it also works below a path of a reverse proxy.
 */
const homePage = (baseUrl: string): string =>
  htmlPage(
    { title: 'Switchboard', style: STYLE_PATH.slice(1) },
    `<h1>Switchboard</h1>
<p>This server connects an organization to the WhatsApp Business Platform: contacts, conversations, templates and campaigns behind one API.</p>
<h2>Where to go</h2>
<ul>
  <li><a href="docs">API reference</a>: every route, with examples. The same as a document: <a href="openapi.json">openapi.json</a>.</li>
${GUIDES.map(({ name, title, summary }) => `  <li><a href="docs/${name}">${title}</a>: ${summary}</li>`).join('\n')}
  <li><a href="health">Health</a>: whether the server runs. <a href="ready">Readiness</a>: whether it can take work.</li>
</ul>
<h2>Sign in</h2>
<p>There is no web console yet. Sign in through the API, and send the <code>access_token</code> of the response as <code>Authorization: Bearer …</code>:</p>
<pre><code>curl ${Bun.escapeHTML(baseUrl)}/api/auth/login -H 'content-type: application/json' \\
  -d '{"email": "you@example.com", "password": "your password"}'</code></pre>
<ul>
  <li>The first start of the server prints the e-mail and the password of the first admin.</li>
  <li>If you were invited, open the link in the invitation.</li>
  <li>If you forgot your password, ask an admin of your organization for a link.</li>
  <li>Programs use an API key in <code>X-API-Key</code>. Create one with <code>POST /api/api-keys</code>.</li>
</ul>`,
  )

/** Whether a client prefers HTML, as browsers do. */
const wantsPage = ({ headers }: Request): boolean =>
  /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/i.test(headers.get('accept') ?? '')

/**
 * Serves the page at the address of the server to browsers. Other clients get 404 in the envelope,
 * as for any unknown path.
 */
export const homeRoutes = (http: Http) =>
  new Elysia()
    .use(guard(http))
    .get(
      '/',
      ({ request }) => {
        if (!wantsPage(request)) throw new RouteNotFound()
        return htmlResponse(homePage(http.settings.baseUrl), { vary: 'accept' })
      },
      { raw: 'says what this is', detail: { hide: true } },
    )
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
