import { cleanSchema } from './schema'

/** Headers of every answer that counts against the rate limits. */
export const RATE_HEADERS = {
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

/** Header of an answer that is given again. */
export const REPLAY_HEADER = {
  'Idempotent-Replay': {
    description: '`true` if this is the stored response of the first request with the same key.',
    schema: { type: 'string' },
  },
}

/** The key of requests that create something. */
export const KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Unique key (for example a UUID) that makes the request safe to retry. For 24 hours, the same key with the same path and body returns the original response with `Idempotent-Replay: true`. Fails with 409 `idempotency_mismatch` if the body differs, `idempotency_in_progress` while the first request is running, and `idempotency_interrupted` if it took effect and its response is lost. Permissions and visibility are checked again: the original response is not returned for a contact that the caller no longer sees (404). A request that fails with 4xx does not use up the key.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
}

/** The version that a request changes. */
export const IF_MATCH_PARAMETER = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `updated_at` of what you change, as you loaded it. If somebody changed it since, nothing happens: the answer is 409 `changed_meanwhile`, and `details.present` is how it is now. Without it, the last change wins.',
  schema: { type: 'string', examples: ['"2026-11-21T09:30:00.000Z"'] },
}

/** The organization that a super admin acts in. */
export const ORGANIZATION_PARAMETER = {
  name: 'X-Organization-ID',
  in: 'header',
  required: false,
  description:
    'Organization to act in. Only super admins can name an organization other than that of their credentials; for everyone else a different value fails with 403 `organization_mismatch`. A malformed ID fails with 400, an unknown one with 404.',
  schema: cleanSchema({ type: 'string', format: 'uuid' }),
}

/** Refers to headers by their names. */
export const headerRefs = (headers: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
