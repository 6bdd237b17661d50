import { Elysia, NotFoundError as RouteNotFound } from 'elysia'

import { yieldToEventLoop } from '../../infra/event-loop'
import { compressText, compressedResponse, type CompressedText } from '../compressed-text'
import { viewerFiles } from '../embedded-files'
import { guard } from '../guard'
import { PAGE_STYLE, STYLE_HEADERS } from '../html'
import type { Http } from '../http-deps'
import { missingResponse } from '../missing-page'
import { asyncApiDocument } from '../openapi/async-document'
import type { OpenApiDocument } from '../openapi/document'
import { operationDocument, operationsByTag, slugOf, tagDocument } from '../openapi/tag-document'
import { DISABLED_FEATURES } from '../response-headers'
import { staticFiles, staticResponse } from '../static-files'
import { linksOf } from './links'
import { MOVED, SOURCES } from './pages'
import { pictureOf } from './pictures'
import { findOperation, operationName } from './reference'
import { said } from './schema-fields'
import { siteFile } from './site'
import { viewerPage } from './viewer'

/** What a page may load: files of this server alone. */
const SITE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; base-uri 'none'"

/** What the viewer may load: its script writes styles, and its page starts it by a script of its own. */
const viewerPolicy = (digest: string): string =>
  `default-src 'self'; script-src 'self' 'sha256-${digest}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; object-src 'none'; base-uri 'none'`

/** Pictures change with releases only, as the viewer does. */
const PICTURE = { 'cache-control': 'public, max-age=86400' }

/** The viewer changes with releases only. */
const VIEWER_FILE = { 'cache-control': 'public, max-age=86400' }

const JSON_TYPE = { 'content-type': 'application/json;charset=utf-8' }

/** Path of the style sheet of other plain pages. */
export const STYLE_PATH = '/home.css'

/** A text with its type, as it is sent. */
interface Made extends CompressedText {
  type: string
}

/** The pages and documents, each made when it is first asked for. */
function madeOnce(document: () => Promise<OpenApiDocument>) {
  const made = new Map<string, Promise<Made>>()
  const once = (
    key: string,
    make: () => Promise<{ type: string; text: string }>,
  ): Promise<Made> => {
    const known =
      made.get(key) ??
      make().then(async ({ type, text }) => {
        await yieldToEventLoop()
        return { type, ...compressText(text) }
      })
    made.set(key, known)
    known.catch(() => made.delete(key))
    return known
  }
  const json = (key: string, part: (of: OpenApiDocument) => unknown): Promise<Made> =>
    once(`json ${key}`, async () => ({
      type: JSON_TYPE['content-type'],
      text: JSON.stringify(part(await document())),
    }))
  return {
    json,
    /** Throws RouteNotFound. */
    async page(name: string): Promise<Made> {
      // who reads a page searches next, or goes to the reference, and both take the document
      document().catch(() => undefined)
      return await once(`page ${name}`, async () => {
        const file = await siteFile(name, document, { place: 'server', url: null })
        if (!file) throw new RouteNotFound()
        return file
      })
    },
    /** The document of a tag or of one operation. Throws RouteNotFound. */
    async part(name: string): Promise<Made> {
      const of = await document()
      const part = tagDocument(of, name) ?? operationDocument(of, name)
      if (!part) throw new RouteNotFound()
      return await json(`part ${name}`, () => part)
    },
  }
}

const answer = (request: Request, { type, ...text }: Made, headers = {}): Response =>
  compressedResponse(request, text, { 'content-type': type, ...headers })

/** The answers of a route with a document in this format. */
const documentAs = (format: string) => ({
  200: {
    description: `${format}.`,
    content: { 'application/json': { schema: { type: 'object' as const } } },
  },
  304: { description: 'Not modified.' },
})

const PART = { raw: 'Part of the documentation.', detail: { hide: true } } as const

/** Pages copy code when somebody asks them to; they use nothing else of the browser. */
const POLICY = {
  'content-security-policy': SITE_POLICY,
  'permissions-policy': DISABLED_FEATURES.map((feature) =>
    feature === 'clipboard-write' ? `${feature}=(self)` : `${feature}=()`,
  ).join(', '),
}

/** Addresses of pages, for the hint after a typing error. */
async function knownAddresses(document: () => Promise<OpenApiDocument>): Promise<string[]> {
  const tags = operationsByTag(await document()).map(({ tag }) => `docs/reference/${slugOf(tag)}`)
  return ['docs', 'docs/reference', ...SOURCES.map(({ name }) => `docs/${name}`), ...tags]
}

/** The documents of the API at the root of the server. */
const documentRoutes = (http: Http, made: ReturnType<typeof madeOnce>) =>
  new Elysia({ tags: ['System'] })
    .use(guard(http))
    .get(
      '/openapi.json',
      async ({ request }) => answer(request, await made.json('whole', (of) => of)),
      {
        raw: 'OpenAPI description of the API',
        detail: {
          summary: 'Get the OpenAPI document',
          description:
            'Sent compressed to clients that accept gzip. Send the `ETag` of an earlier response as `If-None-Match` to get 304 while nothing changed.',
          operationId: 'getOpenApiDocument',
          responses: documentAs('OpenAPI 3.1'),
        },
      },
    )
    .get(
      '/asyncapi.json',
      async ({ request }) => answer(request, await made.json('sockets', asyncApiDocument)),
      {
        raw: 'AsyncAPI description of the WebSocket',
        detail: {
          summary: 'Get the AsyncAPI document',
          description:
            'Describes the frames of the WebSocket. Sent like the OpenAPI document, with an `ETag`.',
          operationId: 'getAsyncApiDocument',
          responses: documentAs('AsyncAPI 3.0'),
        },
      },
    )

/** The viewer that sends operations, with its files. */
const viewerRoutes = (http: Http, document: () => Promise<OpenApiDocument>) => {
  const find = staticFiles(viewerFiles)
  const file = async (request: Request, path: string): Promise<Response> =>
    staticResponse(request, await find(path), VIEWER_FILE)
  return new Elysia()
    .use(guard(http))
    .get(
      '/docs/try/:operation',
      async ({ request, params: { operation } }) => {
        const found = findOperation(await document(), operation)
        if (!found?.path.startsWith('/'))
          return missingResponse(request, await knownAddresses(document))
        const back = linksOf(`try/${found.id}`, 'server')(operationName(found.tag, found.id))
        const summary = said(found.operation['summary'])
        const { html, scriptDigest } = await viewerPage({ id: found.id, summary, back })
        const headers = {
          'content-type': 'text/html;charset=utf-8',
          'content-security-policy': viewerPolicy(scriptDigest),
        }
        return compressedResponse(request, compressText(html), headers)
      },
      PART,
    )
    .get('/docs/swagger-ui-bundle.js', ({ request }) => file(request, 'swagger-ui-bundle.js'), PART)
    .get('/docs/swagger-ui.css', ({ request }) => file(request, 'swagger-ui.css'), PART)
}

/**
 * The documents at `/openapi.json` and `/asyncapi.json` and the site at `/docs`, served from the
 * binary: no request leaves the host.
 */
export const docsRoutes = (http: Http, document: () => Promise<OpenApiDocument>) => {
  const made = madeOnce(document)
  const page = async (request: Request, name: string): Promise<Response> =>
    answer(request, await made.page(name), POLICY)
  return new Elysia()
    .use(documentRoutes(http, made))
    .use(viewerRoutes(http, document))
    .use(guard(http))
    .get(
      STYLE_PATH,
      ({ request }) => compressedResponse(request, compressText(PAGE_STYLE), STYLE_HEADERS),
      PART,
    )
    .get('/docs', ({ request }) => page(request, ''), PART)
    .get(
      '/docs/documents/:part',
      async ({ request, params }) => answer(request, await made.part(params.part)),
      PART,
    )
    .get(
      '/docs/*',
      async ({ request, params: { '*': name } }) => {
        const moved = MOVED[name]
        if (moved !== undefined)
          return new Response(null, {
            status: 308,
            headers: { location: linksOf(name, 'server')(moved, new URL(request.url).search) },
          })
        const picture = pictureOf(name)
        if (picture) return new Response(picture, { headers: PICTURE })
        try {
          return await page(request, name)
        } catch (error) {
          if (!(error instanceof RouteNotFound)) throw error
          return missingResponse(request, await knownAddresses(document))
        }
      },
      PART,
    )
}
