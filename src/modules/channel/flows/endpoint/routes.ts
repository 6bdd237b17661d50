import { Elysia, t } from 'elysia'

import { AppError, RateLimitedError } from '../../../../lib/errors'
import { readBytes } from '../../../../http/body'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { requestFacts } from '../../../../http/request-facts'
import { EncryptedRequest } from '../model'
import { answerEndpoint } from './answer'

/** Largest request body, bytes. */
const MAX_BYTES = 1024 * 1024

/** Statuses that count as failed attempts of an IP address. */
const COUNTED_STATUSES: ReadonlySet<number> = new Set([421, 432])

/** The data exchange endpoint of Flows. */
export const flowEndpointRoutes = (http: Http) => {
  /**
   * Counts a failure of an IP address; over the limit it becomes 429. Verified requests are never
   * limited, so that the platform is not throttled.
   */
  const countFailure = (error: unknown, address: string): unknown => {
    if (!(error instanceof AppError) || !COUNTED_STATUSES.has(error.httpStatus)) return error
    const allowance = http.limiters.unproven.hit(address)
    if (!allowance || allowance.isAllowed) return error
    return new RateLimitedError(
      'Too many requests with an invalid signature from this address.',
      allowance.retryAfterS,
      {
        code: 'too_many_failures',
      },
    )
  }
  return new Elysia({ prefix: '/api/flows', tags: ['Flows'] }).use(guard(http)).post(
    '/endpoint/:account_id',
    async ({ request, params }) => {
      try {
        const { status, body } = await answerEndpoint(http, {
          accountId: params.account_id.toLowerCase(),
          signature: request.headers.get('x-hub-signature-256'),
          read: () => readBytes(request, MAX_BYTES, http.deadlines.limits.bodyMs),
        })
        return new Response(body, {
          status,
          headers: { 'content-type': 'text/plain;charset=utf-8' },
        })
      } catch (error) {
        throw countFailure(error, requestFacts(request).address)
      }
    },
    {
      parse: 'none',
      raw:
        'authenticates with a signature over the body, which is encrypted for a key of the ' +
        'number',
      refuses: [
        '400 invalid_input',
        '400 malformed_json',
        '404 not_found',
        '421 decryption_failed',
        '429 too_many_failures',
        '432 signature_mismatch',
        '503 organization_moving',
        '503 unavailable',
      ],
      params: t.Object({ account_id: t.String({ format: 'uuid' }) }),
      detail: {
        operationId: 'receiveFlowDataExchange',
        summary: 'Receive a Flow data exchange',
        description:
          'Called by the platform while a customer fills in a Flow. The body is signed ' +
          '(`X-Hub-Signature-256`) with the app secret of the phone number, or else of the ' +
          'installation. The AES key is encrypted with RSA-OAEP (SHA-256) for the public key of ' +
          'the phone number, the data with AES-128-GCM. The response is encrypted with the same ' +
          'key and the inverted initialization vector, as base64 text. Returns 421 if the ' +
          'request cannot be decrypted: fetch the current public key. Returns 427, also ' +
          'encrypted, if the flow token is no longer valid, and 432 if the signature is wrong. ' +
          'Fails with 429 after 60 failures per minute from one address, and with 503 while the ' +
          'organization moves to another server. After that, the request is passed on to it.',
        parameters: [
          {
            name: 'X-Hub-Signature-256',
            in: 'header' as const,
            required: true,
            schema: { type: 'string' as const },
          },
        ],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: EncryptedRequest as never } },
        },
        responses: {
          200: {
            description: 'Encrypted response, base64.',
            content: { 'text/plain': { schema: { type: 'string' as const } } },
          },
          427: {
            description: 'The flow token is unknown or expired; encrypted `{error_msg}`, base64.',
            content: { 'text/plain': { schema: { type: 'string' as const } } },
          },
        },
      },
    },
  )
}
