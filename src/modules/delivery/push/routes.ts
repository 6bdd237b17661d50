import { Elysia } from 'elysia'

import { MessageAnswer, Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { requirePush, serverKeys } from './keys'
import { EndedPushSubscription, NewPushSubscription, PushKey, PushSubscriptionView } from './model'
import { subscribeBrowser, unsubscribeBrowser } from './subscriptions'

const WHEN_OFF =
  'Answers 404 if the installation sends none: `WEB_PUSH=false`, or `BASE_URL` is not https.'

/** Routes for notifications in browsers that are not open. */
export const pushRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/push', tags: ['Me'] })
    .use(guard(http))
    .get(
      '/key',
      ({ ctx }) => {
        requirePush(ctx)
        return ok({ public_key: serverKeys(ctx).publicKey })
      },
      {
        can: 'session',
        refuses: ['404 not_found'],
        response: { 200: Ok(PushKey) },
        detail: {
          operationId: 'getPushKey',
          summary: 'Get the public key for push notifications',
          description: WHEN_OFF,
        },
      },
    )
    .post(
      '/subscriptions',
      ({ ctx, body, status }) => status(201, ok(subscribeBrowser(ctx, body))),
      {
        can: 'session',
        refuses: ['400 url_refused', '404 not_found', '409 endpoint_taken'],
        body: NewPushSubscription,
        response: { 201: Ok(PushSubscriptionView) },
        detail: {
          operationId: 'subscribeToPush',
          summary: 'Subscribe a browser to push notifications',
          description:
            'Notifies this browser of new messages of customers that you see, if ' +
            '`new_message_alerts` is on, at most once a minute for each conversation, and not while ' +
            'you look at the console. The content is encrypted for the browser: a title, a link and, ' +
            'if `push_shows_content` of the organization allows it, the name and the beginning ' +
            'of the message. Ends with the session, and when another person subscribes with the same ' +
            'address and keys in this browser. The eleventh browser of a ' +
            `person takes the place of the oldest one. ${WHEN_OFF}`,
        },
      },
    )
    .delete(
      '/subscriptions',
      ({ ctx, body }) => {
        unsubscribeBrowser(ctx, body.endpoint)
        return ok({ message: 'The browser is no longer notified.' })
      },
      {
        can: 'session',
        refuses: ['404 not_found'],
        body: EndedPushSubscription,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'unsubscribeFromPush',
          summary: 'Unsubscribe a browser from push notifications',
          description: WHEN_OFF,
        },
      },
    )
