import { Type } from '@sinclair/typebox'

import { SHOWN_ONCE } from '../../../../lib/shown-once'

/** How the webhooks of a number are delivered. */
export const SubscriptionInput = Type.Object(
  {
    override_callback: Type.Optional(
      Type.Boolean({
        description:
          "Whether to send the webhooks of this number to this server, regardless of the app's " +
          'callback URL. Defaults to `true` if the installation has several servers (`CELLS`).',
      }),
    ),
  },
  { title: 'AccountSubscription', examples: [{ override_callback: false }] },
)

/** Subscription state of a number, and the fields to enable in the app. */
export const SubscribedView = Type.Object(
  {
    subscribed: Type.Boolean(),
    fields: Type.Array(
      Type.String({ description: 'Webhook field to enable in the app settings.' }),
    ),
  },
  { title: 'AccountSubscribed' },
)

/** Confirms that the webhooks have ended. */
export const UnsubscribedView = Type.Object(
  { subscribed: Type.Boolean() },
  { title: 'AccountUnsubscribed' },
)

/** The values to enter in the app's webhook settings. */
export const WebhookConfigView = Type.Object(
  {
    callback_url: Type.String(),
    fields: Type.Array(Type.String()),
  },
  { title: 'AccountWebhookConfig' },
)

/** The verify token of a number. */
export const VerifyTokenView = Type.Object(
  {
    verify_token: Type.Union([Type.String(), Type.Null()], {
      ...SHOWN_ONCE,
      description: "Verify token for the app's webhook settings. `null` if it was cleared.",
    }),
  },
  { title: 'AccountVerifyToken' },
)
