import { partsOfErrorCode, ERROR_CODES, type ErrorCode } from '../error-codes'

/** The facts about an operation that determine its general errors. */
export interface ErrorSource {
  method: string
  path: string
  /** Who may call it: a permission, `signed-in`, `session`, `super-admin` or `public`. */
  permission: unknown
  /** Whether only people may call it, no API keys. */
  isForPeople: boolean
  /** Whether it accepts a multipart form. */
  takesForm: boolean
  /** Whether it responds with 201 to a POST, and therefore accepts an `Idempotency-Key`. */
  creates: boolean
}

/**
 * The shared response of each error status: its name in the document and a sentence on when it is
 * returned.
 */
const STATUSES: Record<string, { name: string; description: string }> = {
  400: { name: 'BadRequest', description: 'Invalid request.' },
  401: { name: 'Unauthorized', description: 'Missing or invalid credentials.' },
  403: {
    name: 'Forbidden',
    description: 'Not allowed. The credentials are valid but lack a permission.',
  },
  404: { name: 'NotFound', description: 'Not found.' },
  408: { name: 'RequestTimeout', description: 'Request timeout.' },
  409: { name: 'Conflict', description: 'Conflict with the current state.' },
  413: { name: 'TooLarge', description: 'Request too large.' },
  415: { name: 'UnsupportedType', description: 'Unsupported media type.' },
  421: { name: 'MisdirectedRequest', description: 'The payload cannot be decrypted.' },
  429: {
    name: 'RateLimited',
    description: 'Rate limit exceeded. Wait for the number of seconds in `Retry-After`.',
  },
  432: { name: 'InvalidSignature', description: 'The signature is missing or invalid.' },
  500: { name: 'ServerError', description: 'Internal error.' },
  503: {
    name: 'Unavailable',
    description: 'Temporarily unavailable. Retry after the number of seconds in `Retry-After`.',
  },
}

/** Errors of every operation that requires credentials. */
const OF_CREDENTIALS: ErrorCode[] = [
  '401 unauthorized',
  '401 invalid_token',
  '401 token_expired',
  '401 session_ended',
  '401 membership_ended',
  '401 account_disabled',
  '401 invalid_api_key',
  '401 key_owner_inactive',
  '403 organization_mismatch',
  '404 not_found',
  '409 moved',
  '503 organization_moving',
]

const FLOW_ENDPOINT = '/api/flows/endpoint/{account_id}'

const CELL_DELIVERIES = '/api/cells/deliveries'
const CELL_MOVES = '/api/cells/moves'

/** Routes that the platform and other cells call: never rate-limited, and read as raw bytes. */
export const PLATFORM_ROUTES: ReadonlySet<string> = new Set([
  '/api/webhook',
  CELL_DELIVERIES,
  CELL_MOVES,
  FLOW_ENDPOINT,
])

/**
 * Returns the errors that follow from how an operation is declared, besides those it names itself.
 */
export function generalErrors(operation: ErrorSource): ErrorCode[] {
  const { path, permission } = operation
  const isApi = path.startsWith('/api/')
  const isThrottled = isApi && !PLATFORM_ROUTES.has(path)
  return [
    ...ofInput(operation),
    ...(permission === 'public' ? [] : OF_CREDENTIALS),
    ...(typeof permission === 'string' && permission.includes(':')
      ? (['403 permission_denied', '403 organization_deleting'] as const)
      : []),
    ...(permission === 'super-admin' ? (['403 super_admin_required'] as const) : []),
    ...(operation.isForPeople && permission !== 'super-admin'
      ? (['403 session_required'] as const)
      : []),
    ...(operation.creates
      ? ([
          '409 idempotency_mismatch',
          '409 idempotency_in_progress',
          '409 idempotency_interrupted',
        ] as const)
      : []),
    ...(isThrottled ? (['429 rate_limited'] as const) : []),
    '500 internal_error',
    ...(isApi || path === '/ws' ? (['503 storage_unavailable'] as const) : []),
    ...(path === '/api/webhook' && operation.method === 'post'
      ? []
      : (['503 took_too_long'] as const)),
  ]
}

/** A body is read wherever one can be sent, also if the route expects none. */
function ofInput({ path, method, takesForm }: ErrorSource): ErrorCode[] {
  const readsInput = (path.startsWith('/api/') && !PLATFORM_ROUTES.has(path)) || path === '/ws'
  const hasBody = method !== 'get'
  return [
    ...(readsInput ? (['400 invalid_input'] as const) : []),
    ...(hasBody
      ? (['400 malformed_json', '408 body_too_slow', '413 body_too_large'] as const)
      : []),
    ...(hasBody && !PLATFORM_ROUTES.has(path) ? (['415 unsupported_media_type'] as const) : []),
    ...(takesForm ? (['400 malformed_multipart'] as const) : []),
    '400 bad_host',
  ]
}

/** Every error that follows from how an operation is built; the shared responses list these. */
const GENERAL: ErrorCode[] = [
  ...generalErrors({
    method: 'post',
    path: '/api/',
    permission: 'a:b',
    isForPeople: true,
    takesForm: true,
    creates: true,
  }),
  '403 super_admin_required',
]

/** Error codes by status that an operation adds to those of the shared responses. */
export type OwnCodes = Record<string, string[]>

/** The key under which an operation lists its `OwnCodes`. */
export const CODES_KEY = 'x-codes'

const byStatus = (refusals: readonly ErrorCode[]): [status: string, refusals: ErrorCode[]][] =>
  [...Map.groupBy(new Set(refusals), (refusal) => partsOfErrorCode(refusal).status)].toSorted(
    ([a], [b]) => (a < b ? -1 : 1),
  )

const codeOf = (refusal: ErrorCode): string => partsOfErrorCode(refusal).code

/** Returns the error responses that operations share, by name. */
export const sharedErrorResponses = (headers: object): Record<string, Record<string, unknown>> =>
  Object.fromEntries(
    byStatus(GENERAL).map(([status, refusals]) => [
      nameOf(status),
      { ...writtenOut(status, refusals), headers },
    ]),
  )

const nameOf = (status: string): string => STATUSES[status]?.name ?? `Error${status}`

const lineOf = (refusal: ErrorCode): string => `\`${codeOf(refusal)}\`: ${ERROR_CODES[refusal]}`

/**
 * Describes the errors of an operation. If it has the common rate-limit headers, each status refers
 * to its shared response, and its own codes are listed at the operation. Otherwise each response is
 * written out.
 */
export function describeErrors(
  refusals: readonly ErrorCode[],
  isShared: boolean,
): { responses: Record<string, Record<string, unknown>>; codes: OwnCodes; description: string } {
  const groups = byStatus(refusals)
  if (!isShared) {
    const responses = Object.fromEntries(
      groups.map(([status, ones]) => [status, writtenOut(status, ones)]),
    )
    return { responses, codes: {}, description: '' }
  }
  const own = refusals.filter((refusal) => !GENERAL.includes(refusal))
  const lines = byStatus(own).flatMap(([status, ones]) =>
    ones.map((refusal) => `- ${status} ${lineOf(refusal)}`),
  )
  return {
    responses: Object.fromEntries(
      groups.map(([status]) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
    ),
    codes: Object.fromEntries(byStatus(own).map(([status, ones]) => [status, ones.map(codeOf)])),
    description: lines.length === 0 ? '' : `Errors:\n${lines.join('\n')}`,
  }
}

function writtenOut(status: string, refusals: ErrorCode[]): Record<string, unknown> {
  const [first] = refusals
  const lines = refusals.map((refusal) => `- ${lineOf(refusal)}`)
  return {
    description: `${STATUSES[status]?.description ?? 'An error.'}\n\n${lines.join('\n')}`,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Fail' },
        example: {
          status: 'error',
          data: null,
          message: first ? ERROR_CODES[first] : '',
          code: first ? codeOf(first) : '',
        },
      },
    },
    [CODES_KEY]: refusals.map(codeOf),
  }
}
