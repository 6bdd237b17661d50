import { Type, type Static } from '@sinclair/typebox'

const Key = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })

/** The public key of this installation. */
export const PushKey = Type.Object(
  {
    public_key: Type.String({
      description: '`applicationServerKey` of `PushManager.subscribe`, base64url.',
    }),
  },
  { title: 'PushKey' },
)

const endpoint = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: '`endpoint` of the subscription of the browser.',
})

/** A subscription as `PushSubscription.toJSON` of a browser writes it. */
export const NewPushSubscription = Type.Object(
  {
    endpoint,
    keys: Type.Object({
      p256dh: Key('Public key of the browser, base64url.'),
      auth: Key('Authentication secret, base64url.'),
    }),
  },
  {
    title: 'PushSubscriptionInput',
    examples: [
      {
        endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABl',
        keys: {
          p256dh:
            'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
          auth: 'BTBZMqHH6r4Tts7J_aSIgg',
        },
      },
    ],
  },
)
export type NewPushSubscription = Static<typeof NewPushSubscription>

export const EndedPushSubscription = Type.Object(
  { endpoint },
  {
    title: 'EndedPushSubscription',
    examples: [{ endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABl' }],
  },
)

/** A subscription in API responses. */
export const PushSubscriptionView = Type.Object(
  { id: Type.String({ format: 'uuid' }), created_at: Type.String({ format: 'date-time' }) },
  { title: 'PushSubscription' },
)
export type PushSubscriptionView = Static<typeof PushSubscriptionView>
