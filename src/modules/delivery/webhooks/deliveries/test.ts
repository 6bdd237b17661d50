import { fieldSentence, InvalidError, RateLimitedError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { recordSingleResultIn } from '../delivery/record'
import { sendRequest } from '../delivery/request'
import { insertDeliveryIn, insertPayloadIn } from '../delivery/store'
import { exampleOf } from '../events/examples'
import { bodyOf, eventId } from '../events/produce'
import type { TestResult } from '../model'
import { getEndpointRow } from '../queries'
import { messageIdOf } from '../view'
import { requireEnabled } from './resend'

const TEST_EVENT = 'webhook.test'

/**
 * Sends a test, or the example of another event, once and waits for the answer. Throws
 * NotFoundError, InvalidError for an unknown event and ConflictError `endpoint_disabled`.
 */
export async function testEndpoint(
  ctx: Ctx,
  id: string,
  { event = TEST_EVENT }: { event?: string | undefined },
): Promise<TestResult> {
  const endpoint = getEndpointRow(ctx, id)
  const data = exampleOf(event)
  if (!data) {
    const message = 'is not an event type'
    throw new InvalidError(fieldSentence('event', message), {
      code: 'invalid_input',
      errors: [{ path: 'body.event', message }],
    })
  }
  requireEnabled(endpoint)
  const nowMs = ctx.clock.nowMs()
  if (!ctx.webhookTraffic.countTest(ctx.organizationId, nowMs))
    throw new RateLimitedError('An organization can test its endpoints ten times a minute.', 60)
  const { row, body } = transact(ctx.db, (tx) => {
    const deliveryBody = bodyOf(
      {
        id: eventId(ctx.ids.next(), { position: 0, type: event }),
        type: event,
        atMs: nowMs,
        organizationId: ctx.organizationId,
        seq: 0,
      },
      event === TEST_EVENT ? { message: 'This is a test of the endpoint.', endpoint_id: id } : data,
    )
    const payloadId = insertPayloadIn(tx, ctx, {
      body: deliveryBody,
      isMasked: true, // an example
      contactId: null,
    })
    // Cancelled until the answer is there: a test is tried once, whatever happens meanwhile.
    const stored = insertDeliveryIn(tx, ctx, {
      endpointId: id,
      payloadId,
      event,
      seq: 0,
      contactId: null,
      state: 'cancelled',
      isManual: true,
    })
    return { row: stored, body: deliveryBody }
  })
  const result = await sendRequest(ctx, endpoint, { messageId: messageIdOf(row), attempt: 1, body })
  transact(ctx.db, (tx) => recordSingleResultIn(tx, ctx, row, result))
  return {
    delivery_id: row.id,
    success: result.errorKind === null,
    status_code: result.statusCode,
    duration_ms: result.durationMs,
    error: result.error,
    response_excerpt: result.responseExcerpt,
  }
}
