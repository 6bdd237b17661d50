import { partsOfRefusal, REFUSALS, type Refusal } from './refusals'

/** What is known of an operation, as far as its refusals follow from it. */
export interface Refusable {
  method: string
  path: string
  /** Who may call it: a pair of the catalogue, `signed-in`, `session`, `super-admin` or `public`. */
  permission: unknown
  /** Whether only people may call it, no API keys. */
  isForPeople: boolean
  /** Whether its body may be a form with a file. */
  takesForm: boolean
  /** Whether it answers 201 to a POST and so takes an `Idempotency-Key`. */
  creates: boolean
}

/** Statuses of errors and when they are answered. */
const STATUSES: Record<string, string> = {
  400: 'The input cannot be accepted.',
  401: 'There is no credential, or it is not good any more.',
  403: 'The credential is good, and not enough.',
  404: 'There is no such thing.',
  408: 'It took too long to come.',
  409: 'The present state does not allow it.',
  413: 'It is too large.',
  415: 'It is of the wrong type.',
  421: 'It cannot be decrypted.',
  429: 'Too many; `Retry-After` says how long to wait.',
  432: 'It is not signed as it should be.',
  500: 'It could not be done.',
  503: 'It cannot be done right now; `Retry-After` says when to come again.',
}

/** Refusals of every credential, at whatever needs one. */
const OF_CREDENTIALS: Refusal[] = [
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
]

const FLOW_ENDPOINT = '/api/flows/endpoint/{account_id}'

/** What the platform calls: never throttled, and read byte for byte. */
export const PLATFORMS: ReadonlySet<string> = new Set(['/api/webhook', FLOW_ENDPOINT])

/** The refusals that follow from how an operation is built, besides those it names itself. */
export function generalRefusals(operation: Refusable): Refusal[] {
  const { path, permission } = operation
  const isApi = path.startsWith('/api/')
  const isThrottled = isApi && !PLATFORMS.has(path)
  return [
    ...ofInput(operation),
    ...(permission === 'public' ? [] : OF_CREDENTIALS),
    ...(typeof permission === 'string' && permission.includes(':') ? (['403 permission_denied'] as const) : []),
    ...(permission === 'super-admin' ? (['403 super_admin_required'] as const) : []),
    ...(operation.isForPeople && permission !== 'super-admin' ? (['403 session_required'] as const) : []),
    ...(operation.creates ? (['409 idempotency_mismatch', '409 idempotency_in_progress', '409 idempotency_interrupted'] as const) : []),
    ...(isThrottled ? (['429 rate_limited'] as const) : []),
    '500 internal_error',
    ...(isApi || path === '/ws' ? (['503 storage_unavailable'] as const) : []),
    ...(path === '/api/webhook' && operation.method === 'post' ? [] : (['503 took_too_long'] as const)),
  ]
}

/** A body is read wherever one can be sent, also where none is wanted. */
function ofInput({ path, method, takesForm }: Refusable): Refusal[] {
  const readsInput = (path.startsWith('/api/') && !PLATFORMS.has(path)) || path === '/ws'
  const hasBody = method !== 'get'
  return [
    ...(readsInput ? (['400 invalid_input'] as const) : []),
    ...(hasBody ? (['400 malformed_json', '408 body_too_slow'] as const) : []),
    ...(hasBody && path !== FLOW_ENDPOINT ? (['413 body_too_large'] as const) : []),
    ...(hasBody && !PLATFORMS.has(path) ? (['415 unsupported_media_type'] as const) : []),
    ...(takesForm ? (['400 malformed_multipart'] as const) : []),
    '400 bad_host',
  ]
}

/** The responses of an operation that say no, by status: when each is answered, and with which codes (`x-codes`). */
export function refusingResponses(refusals: readonly Refusal[]): Record<string, Record<string, unknown>> {
  const byStatus = Map.groupBy(new Set(refusals), (refusal) => partsOfRefusal(refusal).status)
  return Object.fromEntries(
    [...byStatus].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([status, ones]) => [status, responseOf(status, ones)]),
  )
}

function responseOf(status: string, refusals: Refusal[]): Record<string, unknown> {
  const codes = refusals.map((refusal) => partsOfRefusal(refusal).code)
  const [first] = refusals
  const lines = refusals.map((refusal) => `- \`${partsOfRefusal(refusal).code}\`: ${REFUSALS[refusal]}`)
  return {
    description: `${STATUSES[status] ?? 'An error.'}\n\n${lines.join('\n')}`,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Fail' },
        example: { status: 'error', data: null, message: first ? REFUSALS[first] : '', code: codes[0] ?? '' },
      },
    },
    'x-codes': codes,
  }
}
