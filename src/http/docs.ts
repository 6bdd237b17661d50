import { Elysia, NotFoundError as RouteNotFound } from 'elysia'

import { OPERATIONS_SCRIPT, OPERATIONS_STYLE, operationsPage, referencePage } from './docs-pages'
import { yieldToEventLoop } from '../infra/event-loop'
import { compressText, compressedResponse, type CompressedText } from './compressed-text'
import { viewerFiles } from './embedded-files'
import { guard } from './guard'
import type { Http } from './http-deps'
import { asyncApiDocument } from './openapi/async-document'
import type { OpenApiDocument } from './openapi/document'
import { missingResponse } from './missing-page'
import { operationsByTag, slugOf, tagDocument } from './openapi/tag-document'
import { staticFiles, staticResponse } from './static-files'

/** What a page may load: files of this server, and the scripts in it that are named. */
const policyOf = (scripts: string): string =>
  `default-src 'self'; script-src ${scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; object-src 'none'; base-uri 'none'`

const SCRIPT_TYPE = 'text/javascript;charset=utf-8'
const STYLE_TYPE = 'text/css;charset=utf-8'

const ASSET = { 'cache-control': 'public, max-age=3600' }

const JSON_TYPE = { 'content-type': 'application/json;charset=utf-8' }
const pageHeaders = (scripts = "'self'"): Record<string, string> => ({
  'content-type': 'text/html;charset=utf-8',
  'content-security-policy': policyOf(scripts),
})

/** The document, its parts and the list of its operations, each made when it is first asked for. */
function documentTexts(document: () => Promise<OpenApiDocument>) {
  const made = new Map<string, Promise<CompressedText>>()
  const once = (name: string, text: (of: OpenApiDocument) => string): Promise<CompressedText> => {
    const known =
      made.get(name) ??
      document().then(async (of) => {
        const written = text(of)
        await yieldToEventLoop()
        return compressText(written)
      })
    made.set(name, known)
    return known
  }
  return {
    whole: () => once('whole', (of) => JSON.stringify(of)),
    sockets: () => once('sockets', (of) => JSON.stringify(asyncApiDocument(of))),
    operations: () =>
      once('operations', (of) => {
        const { description } = of['info'] as { description: string }
        return operationsPage(description, operationsByTag(of))
      }),
    /** Throws RouteNotFound. */
    async ofTag(slug: string): Promise<CompressedText> {
      const part = tagDocument(await document(), slug)
      if (!part) throw new RouteNotFound()
      return await once(`tag ${slug}`, () => JSON.stringify(part))
    },
    /** The names of all tags. */
    async tags(): Promise<string[]> {
      return operationsByTag(await document()).map(({ tag }) => tag)
    },
  }
}

/** Scripts and styles of our own pages. */
const OWN = {
  'operations.js': [OPERATIONS_SCRIPT, SCRIPT_TYPE],
  'operations.css': [OPERATIONS_STYLE, STYLE_TYPE],
} as const

function own(request: Request, name: keyof typeof OWN): Response {
  const [text, type] = OWN[name]
  return compressedResponse(request, compressText(text), { ...ASSET, 'content-type': type })
}

/** The answers of a route with a document in this format. */
const documentAs = (format: string) => ({
  200: {
    description: `${format}.`,
    content: { 'application/json': { schema: { type: 'object' as const } } },
  },
  304: { description: 'Not modified.' },
})

const PART = { raw: 'Part of the documentation page.', detail: { hide: true } } as const

/**
 * The documents at `/openapi.json` and `/asyncapi.json`, the list of operations at `/docs` and a page for each tag
 * below it, served from the binary: no request leaves the host.
 *
 * The list is a plain page of our own because the viewer takes 3 to 5 s for all operations, in
 * proportion to the size of the document, and cannot filter them. A tag takes it about 1 s.
 */
export const docsRoutes = (http: Http, document: () => Promise<OpenApiDocument>) => {
  const texts = documentTexts(document)
  const find = staticFiles(viewerFiles)
  const viewer = async (request: Request, path: string): Promise<Response> =>
    staticResponse(request, await find(path), ASSET)
  return new Elysia({ tags: ['System'] })
    .use(guard(http))
    .get(
      '/openapi.json',
      async ({ request }) => compressedResponse(request, await texts.whole(), JSON_TYPE),
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
      async ({ request }) => compressedResponse(request, await texts.sockets(), JSON_TYPE),
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
    .get(
      '/docs',
      async ({ request }) => compressedResponse(request, await texts.operations(), pageHeaders()),
      PART,
    )
    .get(
      '/docs/reference/:tag',
      async ({ request, params }) => {
        const tags = await texts.tags()
        const tag = tags.find((each) => slugOf(each) === params.tag)
        if (tag === undefined)
          return missingResponse(
            request,
            tags.map((each) => `docs/reference/${slugOf(each)}`),
          )
        const { html, scriptDigest } = await referencePage(tag)
        return new Response(html, { headers: pageHeaders(`'self' 'sha256-${scriptDigest}'`) })
      },
      PART,
    )
    .get(
      '/docs/documents/:tag',
      async ({ request, params }) =>
        compressedResponse(request, await texts.ofTag(params.tag), JSON_TYPE),
      PART,
    )
    .get('/docs/operations.js', ({ request }) => own(request, 'operations.js'), PART)
    .get('/docs/operations.css', ({ request }) => own(request, 'operations.css'), PART)
    .get(
      '/docs/swagger-ui-bundle.js',
      ({ request }) => viewer(request, 'swagger-ui-bundle.js'),
      PART,
    )
    .get('/docs/swagger-ui.css', ({ request }) => viewer(request, 'swagger-ui.css'), PART)
}
