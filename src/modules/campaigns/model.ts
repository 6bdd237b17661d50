import { Type, type Static } from '@sinclair/typebox'

import { patternText, freeObject, nameText, objectOfOptions } from '../../lib/fields'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const Text = Type.String()
const textOrNull = Type.Union([Text, Type.Null()])
const timeOrNull = Type.Union([Time, Type.Null()])
const uuidOrNull = Type.Union([Uuid, Type.Null()])
const Params = Type.Record(Type.String(), Type.Unknown())

/** Where a campaign stands. */
export const CAMPAIGN_STATUSES = [
  'draft',
  'scheduled',
  'sending',
  'paused',
  'completed',
  'cancelled',
] as const

const PAUSE_REASONS = [
  'user',
  'error_rate',
  'quality',
  'template',
  'account',
  'budget',
  'quota',
  'restriction',
  'restored',
] as const

/** Where a recipient stands. */
export const RECIPIENT_STATUSES = [
  'pending',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'unknown',
  'skipped',
  'cancelled',
] as const

const SKIP_REASONS = [
  'opted_out',
  'blocked',
  'duplicate',
  'no_address',
  'excluded',
  'missing_params',
  'recently_contacted',
  'undeliverable',
] as const

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** Whom a campaign is for, beside those who are brought in. */
const AudienceView = Type.Object(
  {
    segment_id: uuidOrNull,
    tag_ids: Type.Array(Uuid),
    tags_mode: Type.String({ enum: ['any', 'all'] }),
    exclude_tag_ids: Type.Array(Uuid),
    exclude_contacted_days: Type.Union([Type.Integer(), Type.Null()]),
  },
  {
    description:
      'Evaluated when the campaign starts, among the contacts that the user who started it ' +
      'can see.',
  },
)
export type Audience = Static<typeof AudienceView>

const AudienceInput = objectOfOptions(
  {
    segment_id: Type.Optional(uuidOrNull),
    tag_ids: Type.Optional(Type.Array(Uuid, { maxItems: 50 })),
    tags_mode: Type.Optional(
      Type.Union([Type.Literal('any'), Type.Literal('all')], { description: 'Defaults to `any`.' }),
    ),
    exclude_tag_ids: Type.Optional(Type.Array(Uuid, { maxItems: 50 })),
    exclude_contacted_days: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 365 }), Type.Null()], {
        description: 'Excludes recipients of any campaign in this many past days.',
      }),
    ),
  },
  'must be an object with IDs of a segment or of tags, tags_mode `any` or `all`, and ' +
    'exclude_contacted_days from 1 to 365',
)

const hour = (says: string) =>
  patternText('^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$', says, { examples: ['09:00'] })

/** The hours in which a campaign sends. */
const SendWindow = Type.Object(
  {
    from: hour('must be a time such as 09:00'),
    to: hour('must be a time such as 18:00'),
    days: Type.Array(Type.Union(DAYS.map((day) => Type.Literal(day))), {
      minItems: 1,
      maxItems: 7,
      description: 'Days on which the send window opens.',
    }),
  },
  {
    description:
      "Hours in which messages are sent, in the campaign's time zone. May span midnight. " +
      'Outside them the campaign waits without being paused.',
  },
)

const SendWindowView = Type.Object({
  from: Text,
  to: Text,
  days: Type.Array(Type.String({ enum: [...DAYS] })),
})
export type SendWindow = Static<typeof SendWindowView>

const Money = Type.Object({
  amount: patternText('^\\d{1,9}(\\.\\d{1,6})?$', 'must be a decimal number such as 10.50', {
    examples: ['10.50'],
  }),
  currency: patternText('^[A-Z]{3}$', 'must be a currency code of three uppercase letters', {
    examples: ['USD'],
  }),
})

/** How far a campaign has come. */
const COUNTERS = {
  total_recipients: Type.Integer(),
  pending_count: Type.Integer(),
  sending_count: Type.Integer({ description: 'Messages submitted without a response yet.' }),
  sent_count: Type.Integer({
    description:
      'Recipients whose message was accepted by the platform, including delivered and read.',
  }),
  delivered_count: Type.Integer({ description: 'Recipients whose message was delivered or read.' }),
  read_count: Type.Integer(),
  failed_count: Type.Integer(),
  skipped_count: Type.Integer(),
  cancelled_count: Type.Integer(),
  unknown_count: Type.Integer({
    description: 'Recipients whose outcome was never reported. Not retried automatically.',
  }),
  replied_count: Type.Integer({ description: 'Recipients who replied within 72 hours.' }),
  clicked_count: Type.Integer({ description: 'Recipients who tapped a button of the message.' }),
}

const status = Type.String({ enum: [...CAMPAIGN_STATUSES] })
const pauseReason = Type.Union([Type.String({ enum: [...PAUSE_REASONS] }), Type.Null()])

/** A campaign as the API answers it. */
export const CampaignView = Type.Object(
  {
    id: Uuid,
    name: Text,
    account_id: Uuid,
    template_id: Uuid,
    template_name: Text,
    status,
    pause_reason: pauseReason,
    audience: AudienceView,
    variable_mapping: Params,
    default_params: Params,
    header_media_id: uuidOrNull,
    scheduled_at: timeOrNull,
    timezone: Text,
    send_window: Type.Union([SendWindowView, Type.Null()]),
    rate_limit: Type.Union([Type.Integer(), Type.Null()], { description: 'Messages per second.' }),
    budget: Type.Union([Type.Object({ amount: Text, currency: Text }), Type.Null()]),
    error_threshold: Type.Number(),
    ...COUNTERS,
    estimated_cost: Type.Union([Text, Type.Null()], {
      description: 'Decimal number as a string. `null` if a price is unknown.',
    }),
    actual_cost: Type.Union([Text, Type.Null()], {
      description:
        'Amount charged by the platform so far. `null` while the price of any of these ' +
        'messages is unknown.',
    }),
    currency: textOrNull,
    started_at: timeOrNull,
    completed_at: timeOrNull,
    eta_at: timeOrNull,
    created_by: uuidOrNull,
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Campaign' },
)
export type CampaignView = Static<typeof CampaignView>

const Mapping = freeObject({
  description:
    'Source of each variable: a contact field (`name`, `phone_number`, `username`, ' +
    '`user_id`, `country`, `language`, `attributes.<key>`, `metadata.<key>`), `{"value": ' +
    '…}`, or `{"field": …, "default": …}`. Body variables are keyed by name or number, ' +
    'others by `header.1`, `button.0` or `cards.0.1`.',
})

const FIELDS = {
  name: nameText(255),
  account_id: Uuid,
  template_id: Uuid,
  variable_mapping: Mapping,
  audience: AudienceInput,
  default_params: freeObject({
    description: 'Default value of each variable, used when a contact has none.',
  }),
  header_media_id: uuidOrNull,
  header_media_url: Type.String({
    maxLength: 2_048,
    description: 'Public URL. The file is downloaded and stored immediately.',
  }),
  scheduled_at: timeOrNull,
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    examples: ['Europe/Berlin'],
    description: "IANA time zone. Defaults to the organization's.",
  }),
  send_window: Type.Union([SendWindow, Type.Null()]),
  rate_limit: Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Null()]),
  budget: Type.Union([Money, Type.Null()], {
    description: 'Maximum cost. Sending stops before it is exceeded.',
  }),
  error_threshold: Type.Number({
    minimum: 0.01,
    maximum: 1,
    description:
      'Share of the last 100 messages that may fail before the campaign pauses, 0 to 1. ' +
      'Defaults to 0.1.',
  }),
}

const example = {
  name: 'Spring offer',
  account_id: '0192f7a0-0000-7000-8000-000000000002',
  template_id: '0192f7a0-0000-7000-8000-000000000009',
  variable_mapping: { '1': { field: 'name', default: 'there' } },
}

/** A new campaign. */
export const NewCampaign = Type.Object(
  {
    ...Type.Partial(Type.Object(FIELDS)).properties,
    name: FIELDS.name,
    account_id: FIELDS.account_id,
    template_id: FIELDS.template_id,
  },
  { title: 'NewCampaign', examples: [example] },
)
export type NewCampaign = Static<typeof NewCampaign>

/** Changes of a campaign; only what is sent changes. */
export const CampaignChanges = Type.Partial(Type.Object(FIELDS), {
  title: 'CampaignChanges',
  minProperties: 1,
  examples: [{ name: 'Spring offer, second part' }],
})
export type CampaignChanges = Static<typeof CampaignChanges>

/** A recipient as the API answers it. */
export const RecipientView = Type.Object(
  {
    id: Uuid,
    contact_id: uuidOrNull,
    phone_number: textOrNull,
    name: textOrNull,
    status: Type.String({ enum: [...RECIPIENT_STATUSES] }),
    skip_reason: Type.Union([Type.String({ enum: [...SKIP_REASONS] }), Type.Null()]),
    template_params: Params,
    header_params: Params,
    button_params: Params,
    message_id: Type.Union([Uuid, Type.Null()], { description: 'Time of the latest attempt.' }),
    attempt: Type.Integer(),
    error: Type.Union([
      Type.Object({
        code: Text,
        platform_code: Type.Union([Type.Integer(), Type.Null()]),
        message: Text,
        details: textOrNull,
        retryable: Type.Boolean(),
        retry_after: Type.Optional(Time),
      }),
      Type.Null(),
    ]),
    sent_at: timeOrNull,
    delivered_at: timeOrNull,
    read_at: timeOrNull,
    failed_at: timeOrNull,
    replied_at: timeOrNull,
    clicked_at: timeOrNull,
    cost: textOrNull,
  },
  { title: 'CampaignRecipient' },
)
export type RecipientView = Static<typeof RecipientView>

/** How far a campaign has come, how fast it goes and what went wrong. */
export const ProgressView = Type.Object(
  {
    campaign_id: Uuid,
    status,
    pause_reason: pauseReason,
    ...COUNTERS,
    rate_per_minute: Type.Integer(),
    eta_at: timeOrNull,
    eta_seconds: Type.Union([Type.Integer(), Type.Null()]),
    errors: Type.Array(Type.Object({ code: Text, message: Text, count: Type.Integer() }), {
      description: 'Most frequent first, up to 50.',
    }),
  },
  { title: 'CampaignProgress' },
)
export type ProgressView = Static<typeof ProgressView>

/** What happened when. */
export const FunnelView = Type.Object(
  {
    interval: Type.String({ enum: ['hour', 'day'] }),
    series: Type.Array(
      Type.Object({
        at: Type.String({
          format: 'date-time',
          description: 'Start of the hour or day in the campaign’s time zone.',
        }),
        sent: Type.Integer(),
        delivered: Type.Integer(),
        read: Type.Integer(),
        replied: Type.Integer(),
        clicked: Type.Integer(),
        failed: Type.Integer(),
      }),
    ),
  },
  { title: 'CampaignFunnel' },
)
export type FunnelView = Static<typeof FunnelView>

/** What a start would do. */
export const DryRun = Type.Object(
  {
    eligible: Type.Integer(),
    excluded: Type.Record(Type.String(), Type.Integer(), {
      description: 'Number of excluded contacts by reason.',
    }),
    missing_params: Type.Array(
      Type.Object({
        recipient_id: uuidOrNull,
        contact_id: uuidOrNull,
        name: textOrNull,
        missing: Type.Array(Text),
      }),
      { description: 'First 100 contacts whose template values are incomplete.' },
    ),
    by_country: Type.Array(
      Type.Object({
        country: textOrNull,
        count: Type.Integer(),
        unit_price: Type.Union([Text, Type.Null()], {
          description: 'Price of one message outside the 24-hour window.',
        }),
        inside_window_count: Type.Integer({
          description: 'Recipients who wrote to the number within the last 24 hours.',
        }),
        inside_window_price: Type.Union([Text, Type.Null()], {
          description: 'Price of one message to these recipients.',
        }),
        cost: textOrNull,
      }),
      { description: 'Country of the phone number, or the country prefix of the user ID.' },
    ),
    estimated_cost: Type.Union([Text, Type.Null()], {
      description: '`null` if the price for a country is unknown.',
    }),
    currency: textOrNull,
    price_date: timeOrNull,
    estimated_duration_s: Type.Integer({
      description: 'Does not include pauses and hours outside the send window.',
    }),
    quota: Type.Object({
      tier: textOrNull,
      remaining: Type.Union([Type.Integer(), Type.Null()], {
        description:
          'Number of people the business portfolio can still start conversations with in the ' +
          'current 24 hours. `null` if unlimited or unknown.',
      }),
    }),
    warnings: Type.Array(Text),
    samples: Type.Array(
      Type.Object({
        name: textOrNull,
        header: Type.Unknown(),
        body: textOrNull,
        footer: textOrNull,
        buttons: Type.Array(Type.Unknown()),
      }),
      { description: 'Three sample messages as recipients would see them.' },
    ),
  },
  { title: 'CampaignDryRun' },
)
export type DryRun = Static<typeof DryRun>

/** When a campaign starts. */
export const NewSchedule = Type.Object(
  { scheduled_at: Time, timezone: Type.Optional(FIELDS.timezone) },
  { title: 'NewCampaignSchedule', examples: [{ scheduled_at: '2030-01-01T09:00:00.000Z' }] },
)

/** How a campaign is started. */
export const StartInput = Type.Object(
  {
    now: Type.Optional(
      Type.Boolean({
        description:
          'If `true`, starts immediately even if `scheduled_at` is in the future. Defaults to ' +
          '`false`.',
      }),
    ),
  },
  { title: 'CampaignStart', examples: [{ now: true }] },
)

/** How a campaign goes on. */
export const ResumeInput = Type.Object(
  {
    ignore_errors: Type.Optional(
      Type.Boolean({
        description:
          'If `true`, failures no longer pause the campaign. Must be `true` when `pause_reason` ' +
          'is `restored`; there, it only confirms that recipients may get the message twice. ' +
          'Defaults to `false`.',
      }),
    ),
  },
  { title: 'CampaignResume', examples: [{ ignore_errors: false }] },
)

/** Which failed recipients get another message. */
export const RetryInput = Type.Object(
  {
    codes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 50,
        description: 'Error codes of the server to retry. Defaults to all retryable errors.',
      }),
    ),
    include_unknown: Type.Optional(
      Type.Boolean({
        description:
          'Whether to include recipients with an unknown outcome, whose message may have ' +
          'arrived. Defaults to `false`.',
      }),
    ),
  },
  { title: 'CampaignRetry', examples: [{ include_unknown: true }] },
)

/** What a retry came to. */
export const RetryView = Type.Object(
  { retry_count: Type.Integer(), status },
  { title: 'CampaignRetried' },
)
export type RetryView = Static<typeof RetryView>

/** How a campaign is copied. */
export const CopyInput = Type.Object(
  {
    name: Type.Optional(nameText(255)),
    with_recipients: Type.Optional(
      Type.Boolean({
        description: 'Whether to also copy imported recipients. Defaults to `false`.',
      }),
    ),
  },
  { title: 'CampaignCopy', examples: [{ name: 'Spring offer (2)' }] },
)
