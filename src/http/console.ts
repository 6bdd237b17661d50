import { Elysia, NotFoundError as RouteNotFound } from 'elysia'

import { consoleFiles } from './embedded-files'
import { guard } from './guard'
import type { Http } from './http-deps'
import { missingResponse, wantsPage } from './missing-page'
import { ok } from './envelope'
import { DISABLED_FEATURES } from './response-headers'
import { staticFiles, staticResponse } from './static-files'

/**
 * Allows only files of this server. `blob:` is for attachments, recorded voice messages and
 * downloads. Scripts cannot turn text into HTML.
 */
const CONTENT_SECURITY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/** Features the console uses: voice messages, buttons that copy, sounds and full-screen video. */
const FEATURES = new Set(['microphone', 'clipboard-write', 'autoplay', 'fullscreen'])
const PERMISSIONS_POLICY = DISABLED_FEATURES.map((feature) =>
  FEATURES.has(feature) ? `${feature}=(self)` : `${feature}=()`,
).join(', ')

/** First words of paths that belong to programs: a wrong one is an error, not a page. */
const RESERVED = /^(?:api|assets|docs|link-pages|ws|health|ready|metrics|openapi\.json)(?:\/|$)/

/** First words of the paths of the console's pages. */
const PAGES = [
  ...['inbox', 'contacts', 'campaigns', 'templates', 'forms', 'search', 'transfers', 'settings'],
  ...['analytics', 'bot', 'welcome', 'login', 'server', 'scheduled', 'calls', 'orders'],
]

/** A page that only the console of a server that runs from source has. */
const FOR_DEVELOPERS = 'dev/parts'

/** What people may look for at the root of the server. */
const KNOWN = [
  ...PAGES,
  'docs',
  'docs/changelog',
  'openapi.json',
  'asyncapi.json',
  'health',
  'ready',
  'metrics',
]

/**
 * A page that opens the console gets no hold of it, but the console keeps one of the windows that it
 * opens without `noopener`: only the platform's signup dialog, to notice that it was closed.
 */
const PAGE = {
  vary: 'accept, accept-encoding',
  'cache-control': 'no-cache',
  'content-security-policy': CONTENT_SECURITY,
  'permissions-policy': PERMISSIONS_POLICY,
  'cross-origin-opener-policy': 'same-origin-allow-popups',
}

/**
 * The page that the signup dialog leads back to. It shows nothing of anybody, and must stay in the
 * group of the window that opened the dialog: otherwise it would count as closed at once, and could
 * not close itself.
 */
const DIALOG_DONE = 'connect/done'
const DIALOG_DONE_PAGE = { ...PAGE, 'cross-origin-opener-policy': 'unsafe-none' }
const ASSET = { 'cache-control': 'public, max-age=31536000, immutable' }

const ICON = { 'cache-control': 'public, max-age=86400' }

/** Browsers look for a newer one by themselves; its path says what it may do. */
const WORKER = { 'cache-control': 'no-cache' }

const OPEN = {
  raw: 'the console is the same for everyone; its data comes from the API',
  detail: { hide: true },
} as const

/**
 * Serves the web console: its page at the paths of its pages, for browsers only, and its assets, which
 * never change under their names. Also what else is looked for at the root of a server.
 */
export const consoleRoutes = (http: Http) => {
  const find = staticFiles(consoleFiles)
  const page = async (request: Request, headers = PAGE): Promise<Response> =>
    staticResponse(request, await find('index.html'), headers)
  return new Elysia()
    .use(guard(http))
    .get(
      '/assets/*',
      async ({ request, params }) =>
        staticResponse(request, await find(`assets/${params['*']}`), ASSET),
      OPEN,
    )
    .get(
      '/push-worker.js',
      async ({ request }) => staticResponse(request, await find('push-worker.js'), WORKER),
      OPEN,
    )
    .get('/', ({ request }) => (wantsPage(request) ? page(request) : directions(request)), OPEN)
    .get('/robots.txt', () => textResponse('User-agent: *\nDisallow: /\n'), OPEN)
    .get(
      '/favicon.ico',
      async ({ request }) => staticResponse(request, await find('favicon.ico'), ICON),
      OPEN,
    )
    .get(
      '/*',
      ({ request, params: { '*': path } }) => {
        if (RESERVED.test(path)) throw new RouteNotFound()
        if (path === DIALOG_DONE && wantsPage(request)) return page(request, DIALOG_DONE_PAGE)
        const isPage = PAGES.includes(path.split('/')[0] ?? '') || path === FOR_DEVELOPERS
        return isPage && wantsPage(request) ? page(request) : missingResponse(request, KNOWN)
      },
      OPEN,
    )
}

/** What a program learns at the root of the server: where everything is. */
const PLACES = {
  console: '/',
  api: '/api',
  docs: '/docs',
  openapi: '/openapi.json',
  health: '/health',
}

/** Responds at the root of the server to a client that does not show pages. */
const directions = ({ headers }: Request): Response =>
  /\bjson\b/i.test(headers.get('accept') ?? '')
    ? Response.json(ok({ name: 'Switchboard', ...PLACES }))
    : textResponse(
        `Switchboard\n${Object.entries(PLACES)
          .map(([name, path]) => `  ${name.padEnd(8)} ${path}`)
          .join('\n')}\n`,
      )

const textResponse = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/plain;charset=utf-8' } })
