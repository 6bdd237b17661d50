import { ERROR_CODES_KEY, type ErrorCode } from '../error-codes'
import { PERMISSION_KEY } from '../guard'
import { exampleOf } from './examples'
import { CODES_KEY, describeErrors, generalErrors, PLATFORM_ROUTES } from './error-responses'
import { IF_MATCH_KEY } from '../unless-changed'
import { headerRefs, RATE_HEADERS, REPLAY_HEADER } from './shared-parts'
import { cleanSchema } from './schema'

/** A JSON object. */
type Json = Record<string, unknown>

/** A route as Elysia lists it, as far as it is described. */
export interface DescribedRoute {
  /** In capital letters. */
  method: string
  /** With parameters as `:id`. */
  path: string
  hooks: {
    params?: Json
    query?: Json
    headers?: Json
    body?: Json
    /** Schemas of the answers by status. */
    response?: Record<string, Json>
    /**
     * What the route itself says, in words of OpenAPI. Where it names parameters or responses,
     * these are shown instead of those of the schemas.
     */
    detail?: Json & { parameters?: Json[]; responses?: Record<string, Json>; requestBody?: Json }
  }
}

/** Where an operation that opens a socket names the schemas of its frames. */
export const SOCKET_KEY = 'x-websocket'

/**
 * The runtime itself refuses headers that are too long, so the response has none of our headers.
 */
const BY_THE_RUNTIME = '431'

/** Returns the path as OpenAPI writes it: `/api/contacts/{id}`. */
export const pathOf = ({ path }: DescribedRoute): string => path.replaceAll(/:(\w+)/g, '{$1}')

/** Describes a route as an operation of OpenAPI. */
export function operationOf(route: DescribedRoute): Json {
  const method = route.method.toLowerCase()
  const path = pathOf(route)
  const detail = route.hooks.detail ?? {}
  const {
    security,
    description,
    [ERROR_CODES_KEY]: own = [],
    [IF_MATCH_KEY]: compares,
    ...rest
  } = detail
  const successes = responsesOf(route)
  const body = bodyOf(route)
  const permission = rest[PERMISSION_KEY]
  const isPublic = permission === 'public'
  const creates = method === 'post' && '201' in successes
  const general = generalErrors({
    method,
    path,
    permission,
    isForPeople: !isPublic && !JSON.stringify(security ?? []).includes('apiKeyAuth'),
    takesForm: body !== null && 'multipart/form-data' in body.content,
    creates,
  })
  const isCounted = path.startsWith('/api') && !PLATFORM_ROUTES.has(path)
  const errors = describeErrors(
    [
      ...(own as ErrorCode[]),
      ...(compares === true ? (['409 changed_meanwhile'] as const) : []),
      ...general,
    ],
    isCounted,
  )
  if (isCounted)
    for (const [status, answer] of Object.entries(successes))
      if (status !== BY_THE_RUNTIME) answer['headers'] = headerRefs(RATE_HEADERS)
  if (creates && successes['201'])
    successes['201']['headers'] = headerRefs({ ...RATE_HEADERS, ...REPLAY_HEADER })
  const parameters = [
    ...parametersOf(route),
    ...(isPublic ? [] : [{ $ref: '#/components/parameters/OrganizationId' }]),
    ...(creates ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(compares === true ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
  ]
  const words = [description, accessOf(permission), errors.description].filter(
    (part) => typeof part === 'string' && part !== '',
  )
  return {
    ...rest,
    ...(words.length > 0 ? { description: words.join('\n\n') } : {}),
    security: security ?? [], // some generators do not read that of the document
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === null ? {} : { requestBody: body }),
    ...(SOCKET_KEY in rest ? { [SOCKET_KEY]: cleanSchema(rest[SOCKET_KEY]) } : {}),
    responses: { ...successes, ...errors.responses },
    ...(Object.keys(errors.codes).length > 0 ? { [CODES_KEY]: errors.codes } : {}),
  }
}

/** Who may call an operation, as a sentence. */
const ACCESS: Record<string, string> = {
  public: 'Needs no credentials.',
  session: 'For signed-in users, without a permission.',
  'signed-in': 'For signed-in users and API keys, without a permission.',
  'super-admin': 'For super admins only.',
}

/** Says who may call an operation with this `x-permission`: `session and a:b`, `a:b or c:d`. */
function accessOf(permission: unknown): string {
  const text = String(permission)
  const words = text.split(/ (and|or) /).map((word) => (word.includes(':') ? `\`${word}\`` : word))
  return (
    ACCESS[text] ??
    (text.startsWith('session and ')
      ? `Requires ${words.slice(2).join(' ')}, for signed-in users only.`
      : text.startsWith('session or ')
        ? `API keys require ${words.slice(2).join(' ')}; signed-in users may call it with the rights that their team gives them.`
        : `Requires ${words.join(' ')}.`)
  )
}

const SUCCESS: Record<string, string> = {
  101: 'The WebSocket is open.',
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted for background processing.',
}

/** The answers of a route that are no errors, by status. */
function responsesOf({ hooks }: DescribedRoute): Record<string, Json> {
  const declared =
    hooks.detail?.responses ?? mapValues(hooks.response ?? { 200: { type: 'null' } }, asJson)
  const responses = Object.entries(declared).map(([status, { content, ...rest }]) => [
    status,
    {
      description: rest['description'] ?? SUCCESS[status] ?? 'Done.',
      ...(content === undefined ? {} : { content: mapEntries(content as Json, mediaOf) }),
    },
  ])
  const answers = Object.fromEntries(responses) as Record<string, Json>
  const done = answers['200']?.['content'] as Json | undefined
  if (done !== undefined && offersCsv(hooks)) done['text/csv'] ??= { schema: { type: 'string' } }
  return answers
}

/** The description of an answer belongs to the answer, not to its schema. `null` is no body. */
const asJson = ({ description, ...schema }: Json): Json => ({
  description,
  ...(schema['type'] === 'null' ? {} : { content: { 'application/json': { schema } } }),
})

/** A media type with its schema, and an example if it is JSON. */
function mediaOf(type: string, media: Json): Json {
  const schema = cleanSchema(media['schema']) as Json
  return {
    ...media,
    schema,
    ...(type === 'application/json' ? { example: exampleOf(schema) } : {}),
  }
}

/** Whether an operation answers with a file when the query says `format=csv`. */
function offersCsv({ query }: DescribedRoute['hooks']): boolean {
  const format = (query?.['properties'] as Record<string, Json> | undefined)?.['format']
  const words = (format?.['enum'] ??
    (format?.['anyOf'] as Json[] | undefined)?.map((one) => one['const'])) as string[] | undefined
  return words?.includes('csv') === true
}

function parametersOf(route: DescribedRoute): Json[] {
  const { detail, headers, params, query } = route.hooks
  const declared = detail?.parameters ?? [
    ...fieldsOf('header', headers),
    ...fieldsOf('path', params),
    ...fieldsOf('query', query),
  ]
  const known = new Set(declared.map((one) => one['in'] === 'path' && one['name']))
  const others = [...route.path.matchAll(/:(\w+)/g)]
    .filter(([, name]) => !known.has(name))
    .map(([, name]) => ({ in: 'path', name, schema: { type: 'string' } }))
  return [...others, ...declared].map(cleanParameter)
}

/** The fields of a schema as parameters. */
const fieldsOf = (place: string, schema: Json | undefined): Json[] =>
  Object.entries((schema?.['properties'] ?? {}) as Record<string, Json>).map(
    ([name, { description, examples: _examples, ...field }]) => ({
      ...{ name, in: place, description, schema: field },
      required: ((schema?.['required'] ?? []) as string[]).includes(name),
    }),
  )

/** A parameter with a default may be left out. */
function cleanParameter({ schema, required, description, ...rest }: Json): Json {
  const clean = cleanSchema(schema) as Json
  return {
    ...rest,
    ...(typeof description === 'string' ? { description } : {}),
    required: rest['in'] === 'path' || (required === true && !('default' in clean)),
    schema: clean,
  }
}

/** Whether a body may be absent, which is the same as an empty object. */
const acceptsNothing = ({ required = [], minProperties, anyOf, oneOf }: Json): boolean =>
  (required as string[]).length === 0 && (minProperties ?? anyOf ?? oneOf) === undefined

function bodyOf({ hooks }: DescribedRoute): { required: boolean; content: Json } | null {
  const { content } = (hooks.detail?.requestBody ?? {}) as { content?: Record<string, Json> }
  const declared = hooks.body ?? content?.['application/json']?.['schema']
  if (declared === undefined) return null
  const schema = cleanSchema(declared) as Json
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

const mapValues = <T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  mapEntries(record, (_, value) => change(value as T))

const mapEntries = <U>(
  record: object,
  change: (key: string, value: never) => U,
): Record<string, U> =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, change(key, value as never)]),
  )
