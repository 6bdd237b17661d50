import { Elysia } from 'elysia'

import { MessageAnswer, Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { testEndpoint } from '../deliveries/test'
import {
  EndpointView,
  NewTest,
  RotatedSecret,
  SecretRevocation,
  SecretRotation,
  TestResult,
} from '../model'
import { revokePreviousSecret, rotateSecret } from './rotate-secret'
import { disableEndpoint, enableEndpoint } from './update'

/** Routes that act on a webhook endpoint. */
export const endpointActionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/webhooks', tags: ['Webhooks'] })
    .use(guard(http))
    .post(
      '/:id/test',
      async ({ ctx, params, body }) => ok(await testEndpoint(ctx, params.id, body)),
      {
        can: 'webhooks:update',
        refuses: ['409 endpoint_disabled', '429 rate_limited'],
        params: IdParam,
        body: NewTest,
        response: { 200: Ok(TestResult) },
        detail: {
          operationId: 'testWebhookEndpoint',
          summary: 'Test a webhook endpoint',
          description:
            'Sends one event, once, and waits for the answer. A receiver that fails is a result ' +
            'with `success: false`. Ten tests a minute are possible.',
        },
      },
    )
    .post('/:id/rotate-secret', ({ ctx, params, body }) => ok(rotateSecret(ctx, params.id, body)), {
      can: 'webhooks:update',
      refuses: ['409 rotation_in_progress'],
      params: IdParam,
      body: SecretRotation,
      response: { 200: Ok(RotatedSecret) },
      detail: {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the signing secret',
        description:
          'Requests carry two signatures until the previous secret expires, the new one first. ' +
          'Only this response contains the new secret.',
      },
    })
    .post(
      '/:id/revoke-secret',
      ({ ctx, params }) => {
        revokePreviousSecret(ctx, params.id)
        return ok({ message: 'The previous secret is no longer valid.' })
      },
      {
        can: 'webhooks:update',
        refuses: ['409 wrong_state'],
        params: IdParam,
        body: SecretRevocation,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'revokeWebhookSecret',
          summary: 'Revoke the previous signing secret',
          description:
            'Requests are signed with the new secret only, before the time of both is over.',
        },
      },
    )
    .post('/:id/enable', ({ ctx, params }) => ok(enableEndpoint(ctx, params.id)), {
      can: 'webhooks:update',
      refuses: ['403 escalation'],
      params: IdParam,
      response: { 200: Ok(EndpointView) },
      detail: {
        operationId: 'enableWebhookEndpoint',
        summary: 'Enable a webhook endpoint',
        description:
          'It receives events from now on. Replay the events that it missed while it was disabled.',
      },
    })
    .post('/:id/disable', ({ ctx, params }) => ok(disableEndpoint(ctx, params.id)), {
      can: 'webhooks:update',
      params: IdParam,
      response: { 200: Ok(EndpointView) },
      detail: {
        operationId: 'disableWebhookEndpoint',
        summary: 'Disable a webhook endpoint',
        description:
          'Its open deliveries end as `missed`. For seven days its events are kept as `missed`, too, ' +
          'and can be replayed.',
      },
    })
