import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { PLATFORM_ERRORS } from '../platform-errors'
import { subscribeAccount, readVerifyToken, unsubscribeAccount, webhookConfig } from '../subscribe'
import { WEBHOOK_FIELDS } from '../webhook-fields'
import {
  SubscribedView,
  SubscriptionInput,
  UnsubscribedView,
  VerifyTokenView,
  WebhookConfigView,
} from './model'

/** Routes for the webhook subscription of a number. */
export const accountWebhookRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/accounts', tags: ['Accounts'] })
    .use(guard(http))
    .post(
      '/:id/subscribe',
      async ({ ctx, params, body }) => {
        await subscribeAccount(ctx, params.id, {
          hasOwnCallback: body.override_callback ?? ctx.settings.cells !== null,
        })
        return ok({ subscribed: true, fields: WEBHOOK_FIELDS })
      },
      {
        can: 'accounts:update',
        refuses: PLATFORM_ERRORS,
        params: IdParam,
        body: SubscriptionInput,
        response: { 200: Ok(SubscribedView) },
        detail: {
          operationId: 'subscribeAccount',
          summary: 'Subscribe webhooks',
          description:
            'Subscribes the app to the business account. Also enable the `fields` in the app ' +
            'settings.',
        },
      },
    )
    .delete(
      '/:id/subscribe',
      async ({ ctx, params }) => {
        await unsubscribeAccount(ctx, params.id)
        return ok({ subscribed: false })
      },
      {
        can: 'accounts:update',
        refuses: PLATFORM_ERRORS,
        params: IdParam,
        response: { 200: Ok(UnsubscribedView) },
        detail: {
          operationId: 'unsubscribeAccount',
          summary: 'Unsubscribe webhooks',
          description:
            "Ends the app's subscription to the whole business account with all of its phone " +
            'numbers.',
        },
      },
    )
    .get('/:id/webhook-config', ({ ctx, params }) => ok(webhookConfig(ctx, params.id)), {
      can: 'accounts:update',
      params: IdParam,
      response: { 200: Ok(WebhookConfigView) },
      detail: {
        operationId: 'getAccountWebhookConfig',
        summary: 'Get the webhook settings',
        description:
          'Returns the callback URL to enter on the platform, and the fields to enable. The verify ' +
          'token has an operation of its own.',
      },
    })
    .post('/:id/verify-token', ({ ctx, params }) => ok(readVerifyToken(ctx, params.id)), {
      can: 'accounts:update',
      params: IdParam,
      response: { 200: Ok(VerifyTokenView) },
      detail: {
        operationId: 'readAccountVerifyToken',
        summary: 'Read the verify token',
        description:
          'Returns the verify token to enter on the platform. Reading it is recorded in the audit log.',
      },
    })
