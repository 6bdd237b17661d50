import { Type, type Static } from '@sinclair/typebox'

import { oneOf, patternText, nameText } from '../../../lib/fields'
import { DEFAULT_GRAPH_VERSION } from '../../../lib/graph-versions'
import { MARKETING_POLICIES } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const orNull = <S extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Object>>(
  schema: S,
) => Type.Union([schema, Type.Null()])

const name = nameText(100, {
  description: 'Name of the phone number, unique in the organization.',
})
const digits = (description: string) =>
  patternText('^\\d{1,32}$', 'must be 1 to 32 digits', { description })
const secret = (description: string, length: { minLength: number; maxLength: number }) =>
  Type.String({ ...length, description: `${description} Stored encrypted and never returned.` })

const phoneId = digits('`phone_number_id` on the platform.')
const businessId = digits('ID of the WhatsApp business account (WABA) on the platform.')
const accessToken = secret('Token of a system user with access to the phone number.', {
  minLength: 1,
  maxLength: 4_096,
})
const appSecret = secret(
  'App secret that signs the webhooks of this number, if it differs from the ' + "installation's.",
  {
    minLength: 8,
    maxLength: 255,
  },
)
const verifyToken = secret('Token for the webhook verification request. Generated if omitted.', {
  minLength: 8,
  maxLength: 255,
})
const pin = patternText('^\\d{6}$', 'must be 6 digits', {
  description: 'PIN of the two-step verification. Stored encrypted and never returned.',
})
const apiVersion = patternText(
  '^v\\d+\\.\\d+$',
  `must be a version such as ${DEFAULT_GRAPH_VERSION}`,
  { description: "Graph API version. Defaults to the installation's version." },
)

/** `status` of a connected phone number. */
export const AccountStatus = Type.String({
  enum: ['pending', 'active', 'disconnected', 'suspended'],
})

const marketingPolicy = oneOf(MARKETING_POLICIES, {
  error: `must be one of ${MARKETING_POLICIES.join(', ')}`,
  description:
    'What becomes of a marketing template that WhatsApp cannot send as a marketing message, for ' +
    'example because the business has not accepted the terms: `fallback` (default) sends it like ' +
    'all other messages, `strict` fails it.',
})

const messagingAccountId = digits(
  'Messaging account on the platform that pays for what this number sends. Needed only if the ' +
    'number has several. `null` leaves the choice to the platform.',
)

const options = {
  app_id: Type.Optional(Type.Union([digits('ID of the platform app.'), Type.Null()])),
  messaging_account_id: Type.Optional(Type.Union([messagingAccountId, Type.Null()])),
  app_secret: Type.Optional(Type.Union([appSecret, Type.Null()])),
  webhook_verify_token: Type.Optional(Type.Union([verifyToken, Type.Null()])),
  pin: Type.Optional(Type.Union([pin, Type.Null()])),
  api_version: Type.Optional(apiVersion),
  is_default_incoming: Type.Optional(Type.Boolean()),
  is_default_outgoing: Type.Optional(
    Type.Boolean({
      description:
        'Whether this is the default outgoing number. At most one number of an organization ' +
        'is; the first one becomes the default.',
    }),
  ),
  auto_read_receipt: Type.Optional(Type.Boolean()),
  marketing_path: Type.Optional(
    Type.Object(
      { policy: marketingPolicy },
      {
        description: "How marketing templates are sent on WhatsApp's path for marketing messages.",
      },
    ),
  ),
}

/** A phone number to connect. `phone_number_id` and `waba_id` are aliases of the two IDs. */
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
          'Whether to check first that the token can read the phone number and proves its ' +
          'business account. Defaults to `true`. With `false`, the number is `pending` until a ' +
          'test succeeds.',
      }),
    ),
  },
  {
    title: 'AccountInput',
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

/** Changes to a number. Omitted fields stay unchanged; `null` clears an optional secret. */
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

/** The latest error of a number, or `null`. */
export const LastError = Type.Union([
  Type.Object({ code: Type.String(), message: Type.String(), at: Time }),
  Type.Null(),
])

const PhoneAppState = Type.String({
  enum: ['waiting', 'requested', 'done', 'declined', 'missed'],
  description:
    '`waiting`: to be requested. `requested`: on its way, or here. `done`: arrived as a whole. ' +
    '`declined`: sharing is turned off in the app. `missed`: not requested within 24 hours.',
})

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

/** Who pays for the messages of a number. */
export const FundingView = Type.Object(
  {
    state: Type.String({
      enum: ['attached', 'missing', 'unknown'],
      description:
        'Whether the business account has a payment method. `missing` holds campaigns, and other ' +
        'messages without a template once the free ones of the month are used up or WhatsApp ' +
        'refused one. `unknown` holds nothing: WhatsApp tells most apps nothing.',
    }),
    source: Type.Union(
      [
        Type.String({
          enum: ['funding_id', 'health', 'refused', 'billed', 'person'],
          description:
            '`funding_id`: WhatsApp named the payment method, or does not name it any more. ' +
            '`health`: the health report has, or no longer has, a payment problem. `refused`: a ' +
            'message failed with code 131042. `billed`: a charged message was delivered. ' +
            '`person`: someone resumed the number after a payment method was added.',
        }),
        Type.Null(),
      ],
      { description: 'What said so. `null` if nothing ever did.' },
    ),
    checked_at: Type.Union([Time, Type.Null()], { description: 'When the source said so.' }),
    billing_url: Type.String({ description: 'Page of WhatsApp to add a payment method.' }),
  },
  { title: 'AccountFunding' },
)
export type FundingView = Static<typeof FundingView>

/** A connected phone number in API responses. Secrets appear only as `has_*`. */
export const AccountView = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    phone_id: Type.String(),
    business_id: Type.String(),
    business_proven: Type.Boolean({
      description:
        'Whether the platform confirmed that the number belongs to the business account. Until ' +
        'then, the number receives only webhook changes that name its own `phone_id`, but no ' +
        'alerts, reviews or template statuses of the business account. Check again with `POST ' +
        '/api/accounts/{id}/test`.',
    }),
    app_id: orNull(Type.String()),
    messaging_account_id: Type.Union([Type.String(), Type.Null()], {
      description:
        'Messaging account on the platform that is named in every message, if one is set.',
    }),
    portfolio_id: Type.Union([Type.String(), Type.Null()], {
      description: 'Business portfolio that messaging limits and user IDs belong to.',
    }),
    phone_number: orNull(Type.String({ description: 'E.164 digits.' })),
    display_phone_number: orNull(Type.String()),
    verified_name: orNull(Type.String()),
    api_version: Type.String(),
    status: AccountStatus,
    status_reason: orNull(Type.String()),
    quality_rating: Type.String({ enum: ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] }),
    messaging_limit_tier: orNull(Type.String()),
    throughput_level: Type.String({ enum: ['STANDARD', 'HIGH', 'COEXISTENCE'] }),
    throughput_limit: Type.Integer({ description: 'Messages per second.' }),
    is_default_incoming: Type.Boolean(),
    is_default_outgoing: Type.Boolean(),
    auto_read_receipt: Type.Boolean(),
    marketing_path: Type.Object(
      {
        status: Type.String({
          enum: ['unknown', 'eligible', 'onboarded', 'off'],
          description:
            'What WhatsApp reports about the business. `eligible`: a person can accept the terms ' +
            'in WhatsApp Manager. `onboarded`: the terms are accepted. `off`: the path is not ' +
            'offered to this business.',
        }),
        policy: marketingPolicy,
      },
      { description: "WhatsApp's path for marketing messages. All marketing templates take it." },
    ),
    direct_send: Type.Object(
      {
        refused_since: Type.Union([Time, Type.Null()], {
          description:
            'Since when WhatsApp refuses them, for example because it has not enabled them for the ' +
            'business. `null` if it took the last one, or none was sent.',
        }),
      },
      { description: 'Messages without a template outside the 24-hour window (`direct`).' },
    ),
    funding: FundingView,
    is_test_number: Type.Boolean({
      description: 'Whether this is a test number of the platform.',
    }),
    registered: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'Whether the number is registered for sending. `null` if the platform did not say.',
    }),
    code_verification_status: Type.Union([Type.String(), Type.Null()], {
      description:
        '`VERIFIED`, `NOT_VERIFIED` or `EXPIRED`. A number that is not verified cannot be ' +
        'registered: request a code.',
    }),
    business_verification_status: Type.Union([Type.String(), Type.Null()], {
      description:
        'How far the platform has verified the business: `verified`, `not_verified`, `pending`, … ' +
        'Until then, its numbers can write first to 250 customers a day.',
    }),
    is_on_phone_app: Type.Boolean({
      description:
        'Whether the number is also used in the WhatsApp Business app (coexistence). Such a number ' +
        'is never registered here.',
    }),
    phone_app_sync: Type.Union(
      [
        Type.Object({
          until: Type.Union([Time, Type.Null()], {
            description:
              'Until when the data can be requested. `null` if nothing is to be requested.',
          }),
          contacts: PhoneAppState,
          history: PhoneAppState,
          history_progress: Type.Union([Type.Integer(), Type.Null()], {
            description: 'How much of the history has arrived, percent.',
          }),
        }),
        Type.Null(),
      ],
      {
        description:
          'How it stands with the contacts and the chats of the WhatsApp Business app. The server ' +
          'requests them within 24 hours, as soon as the number is subscribed.',
      },
    ),
    routing_roles: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description:
        'Roles of this app in the routing of the number, as in `GET /api/accounts/{id}/routing`. ' +
        '`null` if the platform does not tell.',
    }),
    subscribed: Type.Boolean({
      description: 'Whether the app receives the webhooks of the business account.',
    }),
    subscribed_at: orNull(Time),
    token_expires_at: Type.Union([Time, Type.Null()], {
      description:
        'When the access token expires. `null` if it does not expire or the time is unknown.',
    }),
    has_access_token: Type.Boolean(),
    has_app_secret: Type.Boolean(),
    has_webhook_verify_token: Type.Boolean(),
    has_pin: Type.Boolean(),
    has_flow_key: Type.Boolean({
      description: 'Whether the number has a key pair for the data endpoint of Flows.',
    }),
    last_inbound_at: orNull(Time),
    last_checked_at: orNull(Time),
    last_error: LastError,
    paused_until: orNull(Time),
    restricted_since: Type.Union([Time, Type.Null()], {
      description:
        'Since when the platform only accepts replies to customers who wrote within the last ' +
        '24 hours. Other messages wait. `null` if not restricted.',
    }),
    restricted_until: Type.Union([Time, Type.Null()], {
      description: 'When the restriction ends. `null` if the platform did not say.',
    }),
    template_sync: Type.Union([TemplateSync, Type.Null()], {
      description: 'Result of the latest template sync.',
    }),
    created_by: orNull(Uuid),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Account' },
)
export type AccountView = Static<typeof AccountView>
