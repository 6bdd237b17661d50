import { Type, type Static } from '@sinclair/typebox'

import { SHOWN_ONCE } from '../../../lib/shown-once'
import { freeObject, nameText, oneOf } from '../../../lib/fields'
import { ERROR_KINDS } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const timeOrNull = Type.Union([Time, Type.Null()])
const integerOrNull = Type.Union([Type.Integer(), Type.Null()])

const EXAMPLE_ID = '019a52b0-1c00-7000-8000-000000000021'

export const ENDPOINT_STATES = ['healthy', 'failing', 'down', 'disabled'] as const

const Url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description:
    'HTTPS address that receives the events. It must be public and have no user name, password ' +
    'or fragment.',
})
const Events = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: 50,
  description: 'Event types, `area.*` or `*`. `GET /api/webhooks/events` lists them.',
})
const Secret = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Own signing secret: `whsec_` and the base64 form of 24 to 64 random bytes.',
})

const optional = {
  account_ids: Type.Optional(
    Type.Array(Uuid, {
      maxItems: 100,
      description:
        'Phone numbers whose events are sent; `[]` for all. Events without a phone number are ' +
        'always sent.',
    }),
  ),
  headers: Type.Optional(
    freeObject({
      description:
        'At most 20 headers of every request, with texts of up to 1,024 characters. Responses ' +
        'show `***` instead of the values; a value of `***` keeps the stored one. When `url` changes ' +
        'to another host, send all values again.',
    }),
  ),
  is_active: Type.Optional(
    Type.Boolean({ description: 'Defaults to `true`. `false` disables the endpoint.' }),
  ),
  concurrency: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 32, description: 'Requests at once. Defaults to 8.' }),
  ),
  rate_per_second: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Null()], {
      description: 'Requests per second. Defaults to `null`, no limit.',
    }),
  ),
  ordering: Type.Optional(
    oneOf(['none', 'per_contact'], {
      description:
        'With `per_contact`, the events of a contact are sent one after the other, oldest first. ' +
        'Defaults to `none`.',
    }),
  ),
  include_phone_numbers: Type.Optional(
    Type.Boolean({
      description:
        'Whether events contain whole phone numbers. Defaults to `true`, or to `false` if the ' +
        'organization masks them for you.',
    }),
  ),
}

/** A new endpoint. */
export const NewEndpoint = Type.Object(
  { name: nameText(255), url: Url, events: Events, secret: Type.Optional(Secret), ...optional },
  {
    title: 'WebhookEndpointInput',
    examples: [
      {
        name: 'CRM',
        url: 'https://crm.example.com/hooks/switchboard',
        events: ['message.received', 'contact.*'],
      },
    ],
  },
)
export type NewEndpoint = Static<typeof NewEndpoint>

/** Changes to an endpoint. Omitted fields stay as they are. */
export const EndpointChanges = Type.Object(
  {
    name: Type.Optional(nameText(255)),
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    ...optional,
  },
  { title: 'WebhookEndpointChanges', minProperties: 1, examples: [{ concurrency: 4 }] },
)
export type EndpointChanges = Static<typeof EndpointChanges>

/** An endpoint in API responses. */
export const EndpointView = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    url: Type.String(),
    events: Type.Array(Type.String()),
    account_ids: Type.Array(Uuid),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'The values are always `***`.',
    }),
    is_active: Type.Boolean(),
    state: oneOf(ENDPOINT_STATES, {
      description:
        '`failing` since the first failure after a success. `down` after ten timeouts, failed ' +
        'connections or 5xx answers in a row: one delivery at a time is tried, the others wait.',
    }),
    failing_since: timeOrNull,
    last_delivery_at: Type.Union([Time, Type.Null()], {
      description: 'Time of the last request that was not a test, whether it succeeded or failed.',
    }),
    disabled_at: timeOrNull,
    disabled_reason: Type.Union([oneOf(['manual', 'failing_5_days', 'gone']), Type.Null()]),
    concurrency: Type.Integer(),
    rate_per_second: integerOrNull,
    ordering: oneOf(['none', 'per_contact']),
    include_phone_numbers: Type.Boolean(),
    has_previous_secret: Type.Boolean(),
    previous_expires_at: timeOrNull,
    created_by: Type.Union([Uuid, Type.Null()]),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'WebhookEndpoint' },
)
export type EndpointView = Static<typeof EndpointView>

/** A new endpoint with its secret, which no later response contains. */
export const CreatedEndpoint = Type.Composite(
  [EndpointView, Type.Object({ secret: Type.String({ ...SHOWN_ONCE }) })],
  {
    title: 'CreatedWebhookEndpoint',
  },
)
export type CreatedEndpoint = Static<typeof CreatedEndpoint>

/** Figures of the last 24 hours. */
export const EndpointStats = Type.Object(
  {
    delivered: Type.Integer(),
    failed: Type.Integer({
      description:
        'Requests that failed, those that probe an endpoint that is down included, and deliveries ' +
        'that were given up while they waited. Tests are not counted.',
    }),
    pending: Type.Integer({ description: 'Open deliveries, at most 100,000.' }),
    oldest_pending_seconds: integerOrNull,
    success_rate: Type.Union([Type.Number(), Type.Null()], {
      description: '`delivered` of `delivered` and `failed`, per cent.',
    }),
    p50_ms: integerOrNull,
    p95_ms: integerOrNull,
    last_success_at: timeOrNull,
    last_failure_at: timeOrNull,
    failing_since: timeOrNull,
  },
  {
    title: 'WebhookEndpointStats',
    description: 'The last 24 hours. Times are those of the newest 1,000 deliveries.',
  },
)
export type EndpointStats = Static<typeof EndpointStats>

/** An endpoint with its figures. */
export const EndpointWithStats = Type.Composite(
  [EndpointView, Type.Object({ stats: EndpointStats })],
  { title: 'WebhookEndpointWithStats' },
)
export type EndpointWithStats = Static<typeof EndpointWithStats>

/** A rotation of the signing secret. */
export const SecretRotation = Type.Object(
  {
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 168,
        description: 'Hours for which the previous secret signs as well. Defaults to 24.',
      }),
    ),
    secret: Type.Optional(Secret),
  },
  { title: 'WebhookSecretRotation', examples: [{ overlap_hours: 24 }] },
)
export type SecretRotation = Static<typeof SecretRotation>

/** The new secret, which no later response contains. */
export const RotatedSecret = Type.Object(
  { secret: Type.String({ ...SHOWN_ONCE }), previous_expires_at: timeOrNull },
  { title: 'RotatedWebhookSecret' },
)
export type RotatedSecret = Static<typeof RotatedSecret>

/** The secret to revoke. */
export const SecretRevocation = Type.Object(
  { which: Type.Optional(oneOf(['previous'])) },
  { title: 'WebhookSecretRevocation', examples: [{ which: 'previous' }] },
)

export const DELIVERY_STATES = [
  'pending',
  'sending',
  'held',
  'delivered',
  'exhausted',
  'cancelled',
  'missed',
] as const

/** A delivery in API responses. */
export const DeliveryView = Type.Object(
  {
    id: Uuid,
    message_id: Type.String({ description: 'The `webhook-id` of its requests.' }),
    endpoint_id: Uuid,
    event: Type.String(),
    state: oneOf(DELIVERY_STATES, {
      description:
        '`sending` while its request is under way, `held` while its endpoint is down. `missed` if ' +
        'the endpoint was disabled: such deliveries are sent by a replay only.',
    }),
    contact_id: Type.Union([Uuid, Type.Null()]),
    created_at: Time,
    next_attempt_at: timeOrNull,
    attempt_count: Type.Integer(),
    last_status_code: integerOrNull,
    last_error: Type.Union([Type.String(), Type.Null()]),
    delivered_at: timeOrNull,
    manual: Type.Boolean(),
    replay_id: Type.Union([Uuid, Type.Null()]),
  },
  { title: 'WebhookDelivery' },
)
export type DeliveryView = Static<typeof DeliveryView>

const headersOrNull = Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()])

/** A request to an endpoint in API responses. */
const AttemptView = Type.Object(
  {
    number: Type.Integer(),
    at: Time,
    duration_ms: Type.Integer(),
    status_code: integerOrNull,
    error_kind: Type.Union([oneOf(ERROR_KINDS), Type.Null()], {
      description:
        'What failed. `protocol`: the endpoint closed the connection without an answer, or its ' +
        'answer is not valid HTTP. `body`: the answer ended early. `status`: it was not 2xx.',
    }),
    request_headers: headersOrNull,
    response_headers: headersOrNull,
    response_excerpt: Type.Union([Type.String(), Type.Null()], {
      description: 'The first 4 KiB of the response.',
    }),
  },
  { title: 'WebhookAttempt' },
)
export type AttemptView = Static<typeof AttemptView>

/** A delivery with its payload and attempts. */
export const DeliveryDetails = Type.Composite(
  [
    DeliveryView,
    Type.Object({
      payload: Type.Any({
        description: '`null` if it was deleted, or without the permissions for its event.',
      }),
      attempts: Type.Array(AttemptView),
    }),
  ],
  { title: 'WebhookDeliveryDetails' },
)
export type DeliveryDetails = Static<typeof DeliveryDetails>

/** A test of an endpoint. */
export const NewTest = Type.Object(
  {
    event: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Event type whose example is sent. Defaults to `webhook.test`.',
      }),
    ),
  },
  { title: 'WebhookTestInput', examples: [{ event: 'webhook.test' }] },
)

export const TestResult = Type.Object(
  {
    delivery_id: Uuid,
    success: Type.Boolean(),
    status_code: integerOrNull,
    duration_ms: Type.Integer(),
    error: Type.Union([Type.String(), Type.Null()]),
    response_excerpt: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'WebhookTestResult' },
)
export type TestResult = Static<typeof TestResult>

/** The deliveries to make again. */
export const NewReplay = Type.Object(
  {
    from: Time,
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Defaults to now.' })),
    events: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 50 }),
    ),
    only_failed: Type.Optional(
      Type.Boolean({
        description: 'Only deliveries that were exhausted, missed or canceled. Defaults to `true`.',
      }),
    ),
  },
  { title: 'WebhookReplayInput', examples: [{ from: '2026-11-20T00:00:00.000Z' }] },
)
export type NewReplay = Static<typeof NewReplay>

export const StartedReplay = Type.Object(
  { replay_id: Uuid, count: Type.Integer() },
  { title: 'StartedWebhookReplay', examples: [{ replay_id: EXAMPLE_ID, count: 12 }] },
)

/** What a replay would send again. */
export const ReplayPreview = Type.Object(
  { count: Type.Integer() },
  { title: 'WebhookReplayPreview', examples: [{ count: 12 }] },
)

/** A replay in API responses. */
export const ReplayView = Type.Object(
  {
    id: Uuid,
    state: oneOf(['running', 'done', 'stopped']),
    total: Type.Integer(),
    delivered: Type.Integer(),
    failed: Type.Integer({
      description: 'Given up or not possible. Those that a stop cancels are not counted.',
    }),
    from: Time,
    to: Time,
  },
  { title: 'WebhookReplay' },
)
export type ReplayView = Static<typeof ReplayView>
