import { Elysia, t } from 'elysia'

import { readBytes } from '../../../http/body'
import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import { okText } from '../../../http/read-answer'
import type { Http } from '../../../http/http-deps'
import { IdParam, LongPageOf, longQuery } from '../../../http/pagination'
import { oneOf } from '../../../lib/fields'
import { requestFacts } from '../../../http/request-facts'
import {
  Acknowledgement,
  InboundEventDetails,
  InboundEventView,
  InboundStats,
  Queued,
  ReplayRequest,
} from './model'
import { getInboundEvent } from './queries'
import { ListInboundEvents } from './readers'
import { replayInboundEvent, replayInboundEvents } from './replay'
import { verifyCallback, type DeliveryReceiver } from './receive'
import { getInboundStats } from './stats/queries'

const PATH = '/api/webhook'

const ACKNOWLEDGED = ok({ status: 'ok' as const })

async function takeDelivery(
  http: Http,
  receiver: DeliveryReceiver,
  request: Request,
): Promise<void> {
  const bytes = await readBytes(
    request,
    http.settings.webhookBodyLimitBytes,
    http.deadlines.limits.bodyMs,
  )
  await receiver.accept({
    bytes,
    signature: request.headers.get('x-hub-signature-256'),
    encoding: request.headers.get('content-encoding'),
  })
}

/** Where the platform's webhooks arrive (spec 4.5, 5.8, 6.1). */
export const webhookRoutes = (http: Http, receiver: DeliveryReceiver) =>
  new Elysia({ prefix: PATH, tags: ['Webhooks'] })
    .use(guard(http))
    .get(
      '',
      ({ request }) =>
        new Response(
          verifyCallback(http, {
            search: new URL(request.url).search,
            address: requestFacts(request).address,
          }),
          {
            headers: { 'content-type': 'text/plain;charset=utf-8' },
          },
        ),
      {
        raw: 'authenticates with the verify token',
        refuses: ['403 verification_failed', '429 too_many_failures'],
        detail: {
          operationId: 'verifyWebhook',
          summary: 'Verify the webhook',
          description:
            'Called by the platform. Returns the challenge as plain text if `hub.verify_token` is ' +
            'the configured token.',
          parameters: ['hub.mode', 'hub.verify_token', 'hub.challenge'].map((name) => ({
            name,
            in: 'query' as const,
            required: true,
            schema: { type: 'string' as const },
          })),
          responses: {
            200: {
              description: 'The challenge.',
              content: { 'text/plain': { schema: { type: 'string' as const } } },
            },
          },
        },
      },
    )
    .post(
      '',
      async ({ request }) => {
        await takeDelivery(http, receiver, request)
        return ACKNOWLEDGED
      },
      {
        parse: 'none',
        raw: 'authenticates with a signature over the body',
        refuses: [
          '400 content_encoding',
          '401 signature_missing',
          '401 signature_mismatch',
          '503 unavailable',
        ],
        response: { 200: Ok(Acknowledgement) },
        detail: {
          operationId: 'receiveWebhook',
          summary: 'Receive a webhook',
          description:
            'Called by the platform. Requires `X-Hub-Signature-256: sha256=<HMAC-SHA256 of the ' +
            'body with the app secret>`. Returns 200 once the delivery is stored durably; ' +
            'processing follows in the background. Repeated deliveries have no effect.',
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
            content: { 'application/json': { schema: { type: 'object' as const } } },
          },
        },
      },
    )

const InboundQuery = t.Object({
  ...longQuery(),
  state: t.Optional(
    oneOf(['pending', 'processing', 'done', 'partial', 'failed', 'unrouted', 'ignored']),
  ),
  field: t.Optional(t.String({ maxLength: 100 })),
  account_id: t.Optional(t.String({ format: 'uuid' })),
  from: t.Optional(
    t.String({ maxLength: 40, description: 'Received at or after this ISO 8601 time.' }),
  ),
  to: t.Optional(
    t.String({ maxLength: 40, description: 'Received at or before this ISO 8601 time.' }),
  ),
})

/** The journal of deliveries. */
export const inboundRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/inbound', tags: ['Webhooks'] })
    .use(guard(http))
    .get(
      '/events',
      async ({ ctx, query: { page = 1, limit = 20, account_id: accountId, ...query } }) =>
        okText(await ctx.reads.text(ListInboundEvents, ctx, { ...query, page, limit, accountId })),
      {
        can: 'settings:read',
        query: InboundQuery,
        response: { 200: Ok(LongPageOf(InboundEventView)) },
        detail: {
          operationId: 'listInboundEvents',
          summary: 'List webhook deliveries',
          description:
            'Lists stored deliveries of this organization. Super admins see all, including those ' +
            'without a known phone number.',
        },
      },
    )
    .get(
      '/events/:id',
      ({ ctx, params, query }) =>
        ok(getInboundEvent(ctx, params.id, { includesRaw: query.include === 'raw' })),
      {
        can: 'settings:read',
        refuses: ['403 super_admin_required'],
        params: IdParam,
        query: t.Object({
          include: t.Optional(
            oneOf(['raw'], {
              description: 'Whether to include the change as received. Super admins only.',
            }),
          ),
        }),
        response: { 200: Ok(InboundEventDetails) },
        detail: {
          operationId: 'getInboundEvent',
          summary: 'Get a webhook delivery',
          description: 'One change that WhatsApp sent, and what became of it.',
        },
      },
    )
    .post(
      '/events/:id/replay',
      ({ ctx, params, status }) => status(202, ok(replayInboundEvent(ctx, params.id))),
      {
        can: 'settings:update',
        refuses: ['409 in_progress', '409 not_signed_for', '409 moved', '503 organization_moving'],
        params: IdParam,
        response: { 202: Ok(InboundEventView) },
        detail: {
          operationId: 'replayInboundEvent',
          summary: 'Reprocess a webhook delivery',
          description: 'Data that was already stored is not changed.',
        },
      },
    )
    .post(
      '/replay',
      async ({ ctx, body, status }) => status(202, ok(await replayInboundEvents(ctx, body))),
      {
        can: {
          permission: 'super-admin',
          why: 'reprocesses deliveries of all organizations',
          bulk: true,
        },
        refuses: ['400 too_many'],
        body: ReplayRequest,
        response: { 202: Ok(Queued) },
        detail: {
          operationId: 'replayInboundEvents',
          summary: 'Reprocess webhook deliveries',
          description: 'Super admins only. Up to 100,000 at once. Counts as a bulk operation.',
        },
      },
    )
    .get('/stats', ({ ctx, query }) => ok(getInboundStats(ctx, query)), {
      can: 'settings:read',
      query: t.Object({
        from: t.Optional(
          t.String({
            maxLength: 40,
            description: 'ISO 8601 time. Defaults to 24 hours before `to`.',
          }),
        ),
        to: t.Optional(
          t.String({
            maxLength: 40,
            description: 'ISO 8601 time, up to 92 days after `from`. Defaults to now.',
          }),
        ),
      }),
      response: { 200: Ok(InboundStats) },
      detail: {
        operationId: 'getInboundStats',
        summary: 'Get webhook statistics by hour',
        description:
          'Returns the statistics of this organization. Super admins get the total, including ' +
          'deliveries without an organization. Hours are whole and include the hour of `from`.',
      },
    })
