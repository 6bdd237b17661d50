import { Type, type Static } from '@sinclair/typebox'

import { formedText, nameText } from '../../lib/fields'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const orNull = <S extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Object>>(
  schema: S,
) => Type.Union([schema, Type.Null()])

const name = nameText(100, {
  description: 'How people call the number; unique in the organization.',
})
const digits = (description: string) =>
  formedText('^\\d{1,32}$', 'must have 1 to 32 digits and nothing else', { description })
const secret = (description: string, length: { minLength: number; maxLength: number }) =>
  Type.String({ ...length, description: `${description} Stored encrypted, never answered.` })

const phoneId = digits("The platform's phone_number_id.")
const businessId = digits("The platform's id of the WhatsApp business account.")
const accessToken = secret('Token of a system user with access to the number.', {
  minLength: 1,
  maxLength: 4_096,
})
const appSecret = secret(
  'Secret of the app that signs the webhooks of this number, when it is not the one of the installation.',
  {
    minLength: 8,
    maxLength: 255,
  },
)
const verifyToken = secret('Token of the verification request; made when omitted.', {
  minLength: 8,
  maxLength: 255,
})
const pin = formedText('^\\d{6}$', 'must have 6 digits', {
  description: 'Two-step verification PIN. Stored encrypted, never answered.',
})
const apiVersion = formedText('^v\\d+\\.\\d+$', 'must be a version such as v24.0', {
  description: 'Version of the Graph API; the default is that of the installation.',
})

const options = {
  app_id: Type.Optional(Type.Union([digits('Id of the app.'), Type.Null()])),
  app_secret: Type.Optional(Type.Union([appSecret, Type.Null()])),
  webhook_verify_token: Type.Optional(Type.Union([verifyToken, Type.Null()])),
  pin: Type.Optional(Type.Union([pin, Type.Null()])),
  api_version: Type.Optional(apiVersion),
  is_default_incoming: Type.Optional(Type.Boolean()),
  is_default_outgoing: Type.Optional(
    Type.Boolean({
      description: 'At most one number of an organization is; the first one becomes it.',
    }),
  ),
  auto_read_receipt: Type.Optional(Type.Boolean()),
}

/**
 * A phone number to connect; `phone_number_id` and `waba_id` are accepted as other names of the two
 * ids.
 */
export const NewAccount = Type.Object(
  {
    name,
    phone_id: Type.Optional(phoneId),
    phone_number_id: Type.Optional(phoneId),
    business_id: Type.Optional(businessId),
    waba_id: Type.Optional(businessId),
    access_token: accessToken,
    ...options,
    verify: Type.Optional(
      Type.Boolean({
        description:
          'Whether the platform is asked first if the token can read the number and proves its business account. Default true. With false the number is `pending` until a test proves it.',
      }),
    ),
  },
  {
    title: 'NewAccount',
    examples: [
      {
        name: 'Support',
        phone_id: '301000000000001',
        business_id: '201000000000001',
        access_token: 'EAAG…',
        verify: true,
      },
    ],
  },
)
export type NewAccount = Static<typeof NewAccount>

/** Changes to a number: only the fields sent change; `null` clears a secret that may be absent. */
export const AccountChanges = Type.Object(
  {
    name: Type.Optional(name),
    phone_id: Type.Optional(phoneId),
    phone_number_id: Type.Optional(phoneId),
    business_id: Type.Optional(businessId),
    waba_id: Type.Optional(businessId),
    access_token: Type.Optional(accessToken),
    ...options,
    verify: Type.Optional(Type.Boolean()),
  },
  { title: 'AccountChanges', minProperties: 1, examples: [{ name: 'Sales' }] },
)
export type AccountChanges = Static<typeof AccountChanges>

/** The newest trouble of a number; `null` when there is none. */
export const LastError = Type.Union([
  Type.Object({ code: Type.String(), message: Type.String(), at: Time }),
  Type.Null(),
])

const CountOrNull = Type.Union([Type.Integer(), Type.Null()])
const TemplateSync = Type.Object({
  at: Time,
  synced: CountOrNull,
  new: CountOrNull,
  updated: CountOrNull,
  removed: CountOrNull,
  unchanged: CountOrNull,
  error: Type.Union([Type.String(), Type.Null()]),
})

/** A connected phone number as the API answers it; secrets only as `has_*`. */
export const AccountView = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    phone_id: Type.String(),
    business_id: Type.String(),
    business_proven: Type.Boolean({
      description:
        'Whether the platform confirmed that the number belongs to the business account. Until then the number gets only changes that name its own `phone_id`, but no alerts, reviews or template statuses of the business account. `POST /api/accounts/{id}/test` asks again.',
    }),
    app_id: orNull(Type.String()),
    portfolio_id: Type.Union([Type.String(), Type.Null()], {
      description: 'The business portfolio that messaging limits and user ids belong to.',
    }),
    phone_number: orNull(Type.String({ description: 'E.164 digits.' })),
    display_phone_number: orNull(Type.String()),
    verified_name: orNull(Type.String()),
    api_version: Type.String(),
    status: Type.String({ enum: ['pending', 'active', 'disconnected', 'suspended'] }),
    status_reason: orNull(Type.String()),
    quality_rating: Type.String({ enum: ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] }),
    messaging_limit_tier: orNull(Type.String()),
    throughput_level: Type.String({ enum: ['STANDARD', 'HIGH', 'COEXISTENCE'] }),
    throughput_limit: Type.Integer({ description: 'Messages per second.' }),
    is_default_incoming: Type.Boolean(),
    is_default_outgoing: Type.Boolean(),
    auto_read_receipt: Type.Boolean(),
    is_test_number: Type.Boolean({
      description: "Whether it is one of the platform's numbers for trying out.",
    }),
    subscribed: Type.Boolean({
      description: 'Whether the app gets the webhooks of the business account.',
    }),
    subscribed_at: orNull(Time),
    token_expires_at: Type.Union([Time, Type.Null()], {
      description: 'When the access token ends; null when it never does or is not known.',
    }),
    has_access_token: Type.Boolean(),
    has_app_secret: Type.Boolean(),
    has_webhook_verify_token: Type.Boolean(),
    has_pin: Type.Boolean(),
    has_flow_key: Type.Boolean({
      description: 'Whether it has a key pair for the data endpoint of Flows.',
    }),
    last_inbound_at: orNull(Time),
    last_checked_at: orNull(Time),
    last_error: LastError,
    paused_until: orNull(Time),
    restricted_since: Type.Union([Time, Type.Null()], {
      description:
        'Since when the platform takes nothing from it but answers to customers who wrote within 24 hours; the rest waits.',
    }),
    restricted_until: Type.Union([Time, Type.Null()], {
      description: 'When that ends by itself; null when the platform did not say.',
    }),
    template_sync: Type.Union([TemplateSync, Type.Null()], {
      description: 'How the last sync of its templates went.',
    }),
    created_by: orNull(Uuid),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Account' },
)
export type AccountView = Static<typeof AccountView>
