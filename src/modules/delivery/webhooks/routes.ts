import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { oneOf } from '../../../lib/fields'
import { MessageAnswer, Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { okText } from '../../../http/read-answer'
import { createEndpoint } from './endpoints/create'
import { deleteEndpoint, updateEndpoint } from './endpoints/update'
import { WEBHOOK_EVENTS } from '../realtime/webhook-events'
import { exampleBody } from './events/examples'
import { EventTypeView } from './events/schemas'
import {
  CreatedEndpoint,
  ENDPOINT_STATES,
  EndpointChanges,
  EndpointView,
  EndpointWithStats,
  NewEndpoint,
} from './model'
import { getEndpointView, listEndpoints } from './queries'
import { ReadEndpoint } from './readers'

const EndpointsQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(
    t.String({ minLength: 1, maxLength: 255, description: 'Part of the name or the URL.' }),
  ),
  state: t.Optional(oneOf(ENDPOINT_STATES)),
})

const REFUSALS = [
  '400 url_refused',
  '400 bad_reference',
  '403 escalation',
  '409 name_taken',
] as const

/** Routes for webhook endpoints. */
export const webhookRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/webhooks', tags: ['Webhooks'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, ...query } }) =>
        ok(listEndpoints(ctx, { ...query, page, limit })),
      {
        can: 'webhooks:read',
        query: EndpointsQuery,
        response: { 200: Ok(PageOf(EndpointView)) },
        detail: {
          operationId: 'listWebhookEndpoints',
          summary: 'List webhook endpoints',
          description: 'Lists the endpoints that receive events of the organization, by name.',
        },
      },
    )
    .get(
      '/events',
      () =>
        ok({
          items: WEBHOOK_EVENTS.map(({ value, label, description }) => ({
            value,
            label,
            description,
            example: exampleBody(value),
          })),
        }),
      {
        can: 'webhooks:read',
        response: { 200: Ok(Type.Object({ items: Type.Array(EventTypeView) })) },
        detail: {
          operationId: 'listWebhookEvents',
          summary: 'List event types',
          description: 'Lists all event types that an endpoint can choose, each with an example.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createEndpoint(ctx, body))), {
      can: 'webhooks:create',
      refuses: [...REFUSALS, '409 limit_reached'],
      body: NewEndpoint,
      response: { 201: Ok(CreatedEndpoint) },
      detail: {
        operationId: 'createWebhookEndpoint',
        summary: 'Create a webhook endpoint',
        description:
          'The endpoint receives all later events of the chosen types as signed requests ' +
          '(Standard Webhooks). Only this response contains `secret`, with which the receiver ' +
          'verifies them. Choosing events requires `contacts:read_all` and the read permission ' +
          'of their area; otherwise the answer is 403 `escalation`.',
      },
    })
    .get(
      '/:id',
      async ({ ctx, params }) => okText(await ctx.reads.text(ReadEndpoint, ctx, params.id)),
      {
        can: 'webhooks:read',
        params: IdParam,
        response: { 200: Ok(EndpointWithStats) },
        detail: {
          operationId: 'getWebhookEndpoint',
          summary: 'Get a webhook endpoint',
          description:
            'With how its deliveries went in the last 24 hours. The secret and the values of headers are never shown.',
        },
      },
    )
    .put('/:id', ({ ctx, params, body }) => ok(updateEndpoint(ctx, params.id, body)), {
      unlessChanged: getEndpointView,
      can: 'webhooks:update',
      refuses: [...REFUSALS],
      params: IdParam,
      body: EndpointChanges,
      response: { 200: Ok(EndpointView) },
      detail: {
        operationId: 'updateWebhookEndpoint',
        summary: 'Change a webhook endpoint',
        description:
          'Only the fields you send change. Deliveries that exist already are not affected by ' +
          'other events.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteEndpoint(ctx, params.id)
        return ok({ message: 'The webhook endpoint is deleted.' })
      },
      {
        can: 'webhooks:delete',
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteWebhookEndpoint',
          summary: 'Delete a webhook endpoint',
          description:
            'Its open deliveries are canceled. The others can be read as long as they are kept.',
        },
      },
    )
