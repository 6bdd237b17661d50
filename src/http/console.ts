import { Elysia, NotFoundError as RouteNotFound } from 'elysia'

import { consoleFiles, type ConsoleFile } from './console-files'
import { guard } from './guard'
import type { Http } from './http-deps'
import { DISABLED_FEATURES } from './response-headers'

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

/** Whether a client prefers HTML, as browsers do. */
const wantsPage = ({ headers }: Request): boolean =>
  /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/i.test(headers.get('accept') ?? '')

const accepts = (request: Request, coding: string): boolean =>
  new RegExp(`(?:^|[,\\s])${coding}(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(
    request.headers.get('accept-encoding') ?? '',
  )

/** The smallest form of a file that the client takes, with its content encoding. */
function smallest(request: Request, file: ConsoleFile): { body: Blob; encoding: string | null } {
  if (file.brotli && accepts(request, 'br')) return { body: file.brotli, encoding: 'br' }
  if (file.gzip && accepts(request, 'gzip')) return { body: file.gzip, encoding: 'gzip' }
  return { body: file.plain, encoding: null }
}

interface Known extends ConsoleFile {
  etag: string
}

async function loadFiles(): Promise<Map<string, Known>> {
  const files = await consoleFiles()
  const known = await Promise.all(
    files.map(async (file): Promise<[string, Known]> => {
      const etag = `"${Bun.hash(await file.plain.bytes()).toString(36)}"`
      return [file.path, { ...file, etag }]
    }),
  )
  return new Map(known)
}

function respond(request: Request, file: Known, headers: Record<string, string>): Response {
  const { body, encoding } = smallest(request, file)
  const all = {
    ...headers,
    etag: file.etag,
    vary: 'accept, accept-encoding',
    'content-type': file.type,
  }
  const tags = (request.headers.get('if-none-match') ?? '').replaceAll('W/', '')
  if (tags.split(',').some((tag) => tag.trim() === file.etag))
    return new Response(null, { status: 304, headers: all })
  return new Response(body, {
    headers: { ...all, ...(encoding === null ? {} : { 'content-encoding': encoding }) },
  })
}

const PAGE = {
  'cache-control': 'no-cache',
  'content-security-policy': CONTENT_SECURITY,
  'permissions-policy': PERMISSIONS_POLICY,
}
const ASSET = { 'cache-control': 'public, max-age=31536000, immutable' }

/** Browsers look for a newer one by themselves; its path says what it may do. */
const WORKER = { 'cache-control': 'no-cache' }

const OPEN = {
  raw: 'the console is the same for everyone; its data comes from the API',
  detail: { hide: true },
} as const

/**
 * Serves the web console: its page at every path that is not another route, for browsers only, and
 * its assets, which never change under their names.
 */
export const consoleRoutes = (http: Http) => {
  let loading: Promise<Map<string, Known>> | null = null
  const find = async (path: string): Promise<Known> => {
    loading ??= loadFiles().catch((error: unknown) => {
      loading = null // the source may be correct at the next request
      throw error
    })
    const file = (await loading).get(path)
    if (!file) throw new RouteNotFound()
    return file
  }
  const page = async ({ request }: { request: Request }): Promise<Response> => {
    if (!wantsPage(request)) throw new RouteNotFound()
    return respond(request, await find('index.html'), PAGE)
  }
  return new Elysia()
    .use(guard(http))
    .get(
      '/assets/*',
      async ({ request, params }) => respond(request, await find(`assets/${params['*']}`), ASSET),
      OPEN,
    )
    .get(
      '/push-worker.js',
      async ({ request }) => respond(request, await find('push-worker.js'), WORKER),
      OPEN,
    )
    .get('/', page, OPEN)
    .get(
      '/*',
      ({ request, params }) => {
        if (RESERVED.test(params['*'])) throw new RouteNotFound()
        return page({ request })
      },
      OPEN,
    )
}
