import { Type } from '@sinclair/typebox'

/** How webhooks of a number are to come. */
export const Subscribing = Type.Object(
  {
    override_callback: Type.Optional(
      Type.Boolean({
        description:
          'Whether the webhooks of this number alone come to this server, whatever callback its app has.',
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
      Type.String({ description: 'Webhook field that the app is to have switched on.' }),
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
      description: 'The one secret that can be read, here only; reading it is audited.',
    }),
    fields: Type.Array(Type.String()),
  },
  { title: 'AccountWebhookConfig' },
)
