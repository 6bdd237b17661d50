import { Type } from '@sinclair/typebox'

/** How webhooks of a number are to come. */
export const Subscribing = Type.Object(
  {
    override_callback: Type.Optional(
      Type.Boolean({
        description:
          "Whether to send the webhooks of this number to this server, regardless of the app's " +
          'callback URL.',
      }),
    ),
  },
  { title: 'AccountSubscription', examples: [{ override_callback: false }] },
)

/** Whether webhooks come, and which fields are to be switched on in the app. */
export const SubscribedView = Type.Object(
  {
    subscribed: Type.Boolean(),
    fields: Type.Array(
      Type.String({ description: 'Webhook field to enable in the app settings.' }),
    ),
  },
  { title: 'AccountSubscribed' },
)

/** That they come no more. */
export const UnsubscribedView = Type.Object(
  { subscribed: Type.Boolean() },
  { title: 'AccountUnsubscribed' },
)

/** What is to be entered at the platform so that webhooks come. */
export const WebhookConfigView = Type.Object(
  {
    callback_url: Type.String(),
    verify_token: Type.Union([Type.String(), Type.Null()], {
      description:
        "Verify token for the app's webhook settings. Reading it is recorded in the audit log.",
    }),
    fields: Type.Array(Type.String()),
  },
  { title: 'AccountWebhookConfig' },
)
