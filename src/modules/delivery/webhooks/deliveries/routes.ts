import { Elysia, t } from 'elysia'

import { oneOf } from '../../../../lib/fields'
import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import { okText } from '../../../../http/read-answer'
import type { Http } from '../../../../http/http-deps'
import { idParam, IdParam, LongPageOf, longQuery, wholeNumber } from '../../../../http/pagination'
import { WebhookEvent } from '../../realtime/webhook-events'
import { DELIVERY_STATES, DeliveryDetails, DeliveryView } from '../model'
import { getDelivery } from './queries'
import { ListDeliveries } from './readers'
import { resendDelivery } from './resend'

const DeliveriesQuery = t.Object({
  ...longQuery(),
  state: t.Optional(oneOf(DELIVERY_STATES)),
  event: t.Optional(WebhookEvent),
  from: t.Optional(
    t.String({ format: 'date-time', description: 'Only deliveries made at this time or later.' }),
  ),
  to: t.Optional(
    t.String({ format: 'date-time', description: 'Only deliveries made before this time.' }),
  ),
  status_code: wholeNumber('status_code', {
    minimum: 100,
    maximum: 599,
    description: 'Status of the last answer.',
  }),
  contact_id: t.Optional(t.String({ format: 'uuid' })),
})

const DeliveryParam = idParam('delivery_id')
const timeOf = (written: string | undefined): number | undefined =>
  written === undefined ? undefined : Date.parse(written)

/** What was sent to endpoints and how they answered, and how one delivery is sent again. */
export const deliveryRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/webhooks', tags: ['Webhooks'] })
    .use(guard(http))
    .get(
      '/:id/deliveries',
      async ({
        ctx,
        params,
        query: { page = 1, limit = 20, from, to, status_code, contact_id, ...query },
      }) =>
        okText(
          await ctx.reads.text(ListDeliveries, ctx, {
            ...query,
            endpointId: params.id,
            sending: [...ctx.webhookTraffic.sending],
            page,
            limit,
            fromMs: timeOf(from),
            toMs: timeOf(to),
            statusCode: status_code,
            contactId: contact_id,
          }),
        ),
      {
        can: 'webhooks:read',
        params: IdParam,
        query: DeliveriesQuery,
        response: { 200: Ok(LongPageOf(DeliveryView)) },
        detail: {
          operationId: 'listWebhookDeliveries',
          summary: 'List deliveries',
          description:
            'Lists the deliveries of an endpoint, newest first. They are kept for 30 days, also ' +
            'when the endpoint is deleted: the audit log tells its ID. The ' +
            'filter `contact_id` requires the permissions to choose all events.',
        },
      },
    )
    .get(
      '/deliveries/:delivery_id',
      ({ ctx, params }) => ok(getDelivery(ctx, params.delivery_id)),
      {
        can: 'webhooks:read',
        params: DeliveryParam,
        response: { 200: Ok(DeliveryDetails) },
        detail: {
          operationId: 'getWebhookDelivery',
          summary: 'Get a delivery',
          description:
            'Returns the delivery with its payload and attempts. Payload and headers are shown ' +
            'with the permissions to choose its event, answers also require `webhooks:update`.',
        },
      },
    )
    .post(
      '/deliveries/:delivery_id/resend',
      ({ ctx, params, status }) => status(201, ok(resendDelivery(ctx, params.delivery_id))),
      {
        can: 'webhooks:update',
        refuses: ['409 endpoint_disabled', '409 payload_pruned'],
        params: DeliveryParam,
        response: { 201: Ok(DeliveryView) },
        detail: {
          operationId: 'resendWebhookDelivery',
          summary: 'Send a delivery again',
          description: 'Creates a new delivery with the same `webhook-id`.',
        },
      },
    )
