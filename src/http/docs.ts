import { Elysia, NotFoundError as RouteNotFound } from 'elysia'
import scriptFile from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import styleFile from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }

import {
  OPERATIONS_SCRIPT,
  OPERATIONS_STYLE,
  operationsPage,
  REFERENCE_SCRIPT,
  referencePage,
} from './docs-pages'
import { guard } from './guard'
import type { Http } from './http-deps'
import type { OpenApiDocument } from './openapi/repair'
import { operationsByTag, slugOf, tagDocument } from './openapi/tag-document'

const CONTENT_SECURITY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; object-src 'none'; base-uri 'none'"

const SCRIPT_TYPE = 'text/javascript;charset=utf-8'
const STYLE_TYPE = 'text/css;charset=utf-8'

const asset = (body: string | Blob, type: string): Response =>
  new Response(body, { headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' } })

/** A text as it is sent: compressed, with its entity tag. */
interface Compressed {
  gzip: Uint8Array<ArrayBuffer>
  etag: string
}

const compressed = (text: string): Compressed => ({
  gzip: Bun.gzipSync(text),
  etag: `"${Bun.hash(text).toString(36)}"`,
})

function compressedResponse(
  { headers: sent }: Request,
  { gzip, etag }: Compressed,
  of: Record<string, string>,
): Response {
  const headers = { 'cache-control': 'no-cache', vary: 'accept-encoding', ...of, etag }
  const known = (sent.get('if-none-match') ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
  if (known.includes(etag) || known.includes('*'))
    return new Response(null, { status: 304, headers })
  const takesGzip = /(?:^|[,\s])gzip(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(
    sent.get('accept-encoding') ?? '',
  )
  return takesGzip
    ? new Response(gzip, { headers: { ...headers, 'content-encoding': 'gzip' } })
    : new Response(Bun.gunzipSync(gzip), { headers })
}

const JSON_TYPE = { 'content-type': 'application/json;charset=utf-8' }
const PAGE_HEADERS = {
  'content-type': 'text/html;charset=utf-8',
  'content-security-policy': CONTENT_SECURITY,
}

/** The document, its parts and the list of its operations, each made when it is first asked for. */
function documentTexts(document: () => Promise<OpenApiDocument>) {
  const made = new Map<string, Promise<Compressed>>()
  const once = (name: string, text: (of: OpenApiDocument) => string): Promise<Compressed> => {
    const known = made.get(name) ?? document().then((of) => compressed(text(of)))
    made.set(name, known)
    return known
  }
  return {
    whole: () => once('whole', (of) => JSON.stringify(of)),
    operations: () =>
      once('operations', (of) => {
        const { description } = of['info'] as { description: string }
        return operationsPage(description, operationsByTag(of))
      }),
    /** Throws RouteNotFound. */
    async ofTag(slug: string): Promise<Compressed> {
      const part = tagDocument(await document(), slug)
      if (!part) throw new RouteNotFound()
      return await once(`tag ${slug}`, () => JSON.stringify(part))
    },
    /** The name of a tag. Throws RouteNotFound. */
    async tagOf(slug: string): Promise<string> {
      const found = operationsByTag(await document()).find(({ tag }) => slugOf(tag) === slug)
      if (!found) throw new RouteNotFound()
      return found.tag
    },
  }
}

const PART = { raw: 'Part of the documentation page.', detail: { hide: true } } as const

/**
 * The document at `/openapi.json`, the list of its operations at `/docs` and a page for each tag
 * below it, served from the binary: no request leaves the host.
 *
 * The list is a plain page of our own because the viewer takes 3 to 5 s for all operations, in
 * proportion to the size of the document, and cannot filter them. A tag takes it about 1 s.
 */
export const docsRoutes = (http: Http, document: () => Promise<OpenApiDocument>) => {
  const texts = documentTexts(document)
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
          responses: {
            200: {
              description: 'OpenAPI 3.1.',
              content: { 'application/json': { schema: { type: 'object' as const } } },
            },
            304: { description: 'Not modified.' },
          },
        },
      },
    )
    .get(
      '/docs',
      async ({ request }) => compressedResponse(request, await texts.operations(), PAGE_HEADERS),
      PART,
    )
    .get(
      '/docs/reference/:tag',
      async ({ params }) =>
        new Response(referencePage(await texts.tagOf(params.tag)), { headers: PAGE_HEADERS }),
      PART,
    )
    .get(
      '/docs/documents/:tag',
      async ({ request, params }) =>
        compressedResponse(request, await texts.ofTag(params.tag), JSON_TYPE),
      PART,
    )
    .get('/docs/operations.js', () => asset(OPERATIONS_SCRIPT, SCRIPT_TYPE), PART)
    .get('/docs/operations.css', () => asset(OPERATIONS_STYLE, STYLE_TYPE), PART)
    .get('/docs/start.js', () => asset(REFERENCE_SCRIPT, SCRIPT_TYPE), PART)
    .get('/docs/swagger-ui-bundle.js', () => asset(Bun.file(scriptFile), SCRIPT_TYPE), PART)
    .get('/docs/swagger-ui.css', () => asset(Bun.file(styleFile), STYLE_TYPE), PART)
}
