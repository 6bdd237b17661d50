import { Fail } from '../envelope'
import { PERMISSION_KEY } from '../guard'
import { ERROR_CODES_KEY, type ErrorCode } from '../error-codes'
import {
  CODES_KEY,
  describeErrors,
  generalErrors,
  PLATFORM_ROUTES,
  sharedErrorResponses,
} from './error-responses'
import { EVENT_HEADERS, webhooksOf, type DescribedEvent } from './events'
import { exampleOf } from './examples'
import { nameBodies, nameEnvelopes, shareParameters } from './share'
import { expandVariants, hasVariants } from './variants'
import { cleanSchema } from './clean-schema'

/** A JSON object. */
type Json = Record<string, unknown>

/** An OpenAPI document as far as it is touched here. */
export interface OpenApiDocument extends Json {
  openapi: string
  paths: Record<string, Record<string, Json>>
  webhooks?: Record<string, Record<string, Json>>
  components?: { schemas?: Record<string, Json>; [part: string]: unknown }
}

const METHODS = new Set(['get', 'post', 'put', 'delete', 'patch', 'head', 'options', 'trace'])

const RATE_HEADERS = {
  'X-RateLimit-Limit': {
    description: 'Requests allowed in the current window.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in the current window.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': {
    description: 'Time at which the limit resets, in Unix seconds.',
    schema: { type: 'integer' },
  },
}

const REPLAY_HEADER = {
  'Idempotent-Replay': {
    description: '`true` if this is the stored response of the first request with the same key.',
    schema: { type: 'string' },
  },
}

const KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Unique key (for example a UUID) that makes the request safe to retry. For 24 hours, the same key with the same path and body returns the original response with `Idempotent-Replay: true`. Fails with 409 `idempotency_mismatch` if the body differs, `idempotency_in_progress` while the first request is running, and `idempotency_interrupted` if it took effect and its response is lost. Permissions and visibility are checked again: the original response is not returned for a contact that the caller no longer sees (404). A request that fails with 4xx does not use up the key.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
}

const ORGANIZATION_PARAMETER = {
  name: 'X-Organization-ID',
  in: 'header',
  required: false,
  description:
    'Organization to act in. Only super admins can name an organization other than that of their credentials; for everyone else a different value fails with 403 `organization_mismatch`. A malformed ID fails with 400, an unknown one with 404.',
  schema: cleanSchema({ type: 'string', format: 'uuid' }),
}

/** The credentials of most operations; an operation names its own only where they differ. */
const SECURITY = [{ bearerAuth: [] }, { apiKeyAuth: [] }]

/**
 * Turns the output of the swagger plugin into a valid OpenAPI 3.1 document. The plugin claims 3.0.3
 * but uses keywords of 3.1, omits response descriptions, lists content types that no route serves,
 * and shows the coercion of query parameters as their type. Adds the security schemes, the common
 * headers and every error code. Parts that several operations share become components.
 */
export function repairDocument(
  document: OpenApiDocument,
  facts: { baseUrl: string; events: DescribedEvent[] },
): OpenApiDocument {
  const repaired = Object.fromEntries(
    Object.entries(document.paths)
      .filter(([path]) => !path.includes('*'))
      .map(([path, item]): [string, Record<string, Json>] => [path, repairPath(path, item)])
      .filter(([, item]) => Object.keys(item).length > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
  const schemas = new Map<string, Json>([['Fail', cleanSchema(Fail) as Json]])
  const lifted = liftTitled(repaired, schemas) as OpenApiDocument['paths']
  const named = nameEnvelopes(nameBodies(lifted, schemas), schemas)
  const webhooks = liftTitled(webhooksOf(facts.events), schemas) as OpenApiDocument['paths']
  const { paths, parameters } = shareParameters(named)
  return {
    ...document,
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    servers: [{ url: facts.baseUrl, description: 'This server' }],
    security: SECURITY,
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries([...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      responses: sharedErrorResponses(headerRefs(RATE_HEADERS)),
      securitySchemes: {
        bearerAuth: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Access token from a sign-in.',
        },
        apiKeyAuth: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'API key, for programs.',
        },
      },
      headers: { ...RATE_HEADERS, ...REPLAY_HEADER },
      parameters: {
        IdempotencyKey: KEY_PARAMETER,
        OrganizationId: ORGANIZATION_PARAMETER,
        ...EVENT_HEADERS,
        ...parameters,
      },
    },
  }
}

function repairPath(path: string, item: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(item)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => [method, repairOperation(operation, { path, method })]),
  )
}

/** Where an operation that opens a socket names the schemas of its frames. */
const SOCKET_KEY = 'x-websocket'

/**
 * The runtime itself refuses headers that are too long, so the response has none of our headers.
 */
const BY_THE_RUNTIME = '431'

function repairOperation(operation: Json, at: { path: string; method: string }): Json {
  const {
    parameters,
    requestBody,
    responses,
    security,
    description,
    [ERROR_CODES_KEY]: own = [],
    ...rest
  } = operation
  const successes = repairResponses((responses ?? {}) as Record<string, Json>)
  const answer = successes['200']?.['content'] as Json | undefined
  if (answer !== undefined && offersCsv(parameters)) answer['text/csv'] ??= CSV
  const body = requestBody === undefined ? null : repairBody(requestBody as Json)
  const permission = rest[PERMISSION_KEY]
  const creates = at.method === 'post' && '201' in successes
  const general = generalErrors({
    ...at,
    permission,
    isForPeople: !JSON.stringify(security ?? []).includes('apiKeyAuth') && permission !== 'public',
    takesForm: body !== null && 'multipart/form-data' in (body['content'] as Json),
    creates,
  })
  const isCounted = at.path.startsWith('/api') && !PLATFORM_ROUTES.has(at.path)
  const errors = describeErrors([...(own as ErrorCode[]), ...general], isCounted)
  if (isCounted)
    for (const [status, answer] of Object.entries(successes))
      if (status !== BY_THE_RUNTIME) answer['headers'] = headerRefs(RATE_HEADERS)
  if (creates && successes['201'])
    successes['201']['headers'] = headerRefs({ ...RATE_HEADERS, ...REPLAY_HEADER })
  const known = [
    ...(Array.isArray(parameters)
      ? parameters.map((parameter) => repairParameter(parameter as Json))
      : []),
    ...(permission === 'public' ? [] : [{ $ref: '#/components/parameters/OrganizationId' }]),
    ...(creates ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ]
  const words = [description, errors.description].filter(
    (part) => typeof part === 'string' && part !== '',
  )
  return {
    ...rest,
    ...(words.length > 0 ? { description: words.join('\n\n') } : {}),
    ...(JSON.stringify(security) === JSON.stringify(SECURITY) ? {} : { security: security ?? [] }),
    ...(known.length > 0 ? { parameters: known } : {}),
    ...(body === null ? {} : { requestBody: body }),
    ...(SOCKET_KEY in rest ? { [SOCKET_KEY]: cleanSchema(rest[SOCKET_KEY]) } : {}),
    responses: { ...successes, ...errors.responses },
    ...(Object.keys(errors.codes).length > 0 ? { [CODES_KEY]: errors.codes } : {}),
  }
}

const CSV = { schema: { type: 'string' } }

/** Whether an operation answers with a file when the query says `format=csv`. */
const offersCsv = (parameters: unknown): boolean =>
  Array.isArray(parameters) &&
  (parameters as Json[]).some(
    ({ name, in: place, schema }) =>
      name === 'format' &&
      place === 'query' &&
      ((schema as Json)['enum'] as string[] | undefined)?.includes('csv') === true,
  )

const headerRefs = (headers: Json): Json =>
  Object.fromEntries(
    Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )

const SUCCESS: Record<string, string> = {
  101: 'The WebSocket is open.',
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted for background processing.',
}

function repairResponses(responses: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const content = response['content'] as Record<string, Json> | undefined
      const kept =
        content &&
        (content['application/json']
          ? { 'application/json': content['application/json'] }
          : content)
      return [
        status,
        {
          description:
            (response['description'] as string | undefined) ?? SUCCESS[status] ?? 'Done.',
          ...(kept ? { content: cleanContent(kept) } : {}),
        },
      ]
    }),
  )
}

/** Cleans the schemas, and adds an example to each JSON body. */
const cleanContent = (content: Record<string, Json>): Json =>
  Object.fromEntries(
    Object.entries(content).map(([type, media]) => {
      const schema = cleanSchema(media['schema']) as Json
      return [
        type,
        {
          ...media,
          schema,
          ...(type === 'application/json' ? { example: exampleOf(schema) } : {}),
        },
      ]
    }),
  )

/** Whether a body may be absent, which is the same as an empty object. */
const acceptsNothing = ({ required = [], minProperties, anyOf, oneOf }: Json): boolean =>
  (required as string[]).length === 0 && (minProperties ?? anyOf ?? oneOf) === undefined

function repairBody(body: Json): Json {
  const content = (body['content'] ?? {}) as Record<string, Json>
  const json = content['application/json'] ??
    Object.values(content)[0] ?? { schema: { type: 'object' } }
  const schema = cleanSchema(json['schema']) as Json
  return { required: !acceptsNothing(schema), content: contentOf(schema) }
}

/**
 * Returns the content types of a body: JSON; a form if it has a file part; and also JSON if the
 * file is optional.
 */
function contentOf(schema: Json): Json {
  const parts = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
  const files = parts.filter(([, part]) => part['format'] === 'binary').map(([name]) => name)
  if (files.length === 0) return { 'application/json': { schema, example: exampleOf(schema) } }
  const { title, examples: _examples, ...form } = schema
  const needed = (schema['required'] ?? []) as string[]
  const isFormOnly = files.some((name) => needed.includes(name))
  const formTitle = title === undefined || isFormOnly ? title : `${title as string}Form`
  const least = Object.fromEntries(
    parts.filter(([name]) => needed.includes(name) || files.includes(name)),
  )
  const asForm = {
    'multipart/form-data': {
      schema: { ...form, ...(formTitle === undefined ? {} : { title: formTitle }) },
      example: exampleOf({ ...form, properties: least }),
    },
  }
  if (isFormOnly) return asForm
  const written = {
    ...schema,
    title,
    properties: Object.fromEntries(parts.filter(([name]) => !files.includes(name))),
  }
  return { 'application/json': { schema: written, example: exampleOf(written) }, ...asForm }
}

function repairParameter(parameter: Json): Json {
  const { schema, description, examples: _examples, required, ...rest } = parameter
  const clean = cleanSchema(schema) as Json
  const isRequired = rest['in'] === 'path' || (required === true && !('default' in clean))
  return {
    ...rest,
    ...(typeof description === 'string' ? { description } : {}),
    required: isRequired,
    schema: clean,
  }
}

/**
 * Moves schemas with a title to the components and refers to them, so that each is named once and
 * generated clients get its name.
 */
function liftTitled(value: unknown, named: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => liftTitled(item, named))
  if (typeof value !== 'object' || value === null) return value
  // An example is no schema, whatever its fields are called.
  const lifted = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'example' || key === 'examples' ? inner : liftTitled(inner, named),
    ]),
  )
  const { title } = lifted
  if (typeof title !== 'string' || !('type' in lifted || 'anyOf' in lifted || 'allOf' in lifted))
    return lifted
  if (!named.has(title))
    for (const [name, schema] of hasVariants(lifted)
      ? expandVariants(title, lifted)
      : [[title, lifted] as const])
      named.set(name, schema)
  return { $ref: `#/components/schemas/${title}` }
}
