import { Type, type Static } from '@sinclair/typebox'

import { formedText, freeObject, nameText, objectOfOptions } from '../../lib/fields'

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
  { description: 'Settled at the start, for contacts that whoever asked sees then.' },
)
export type Audience = Static<typeof AudienceView>

const AudienceInput = objectOfOptions(
  {
    segment_id: Type.Optional(uuidOrNull),
    tag_ids: Type.Optional(Type.Array(Uuid, { maxItems: 50 })),
    tags_mode: Type.Optional(
      Type.Union([Type.Literal('any'), Type.Literal('all')], { description: 'Default any.' }),
    ),
    exclude_tag_ids: Type.Optional(Type.Array(Uuid, { maxItems: 50 })),
    exclude_contacted_days: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 365 }), Type.Null()], {
        description: 'Nobody to whom any campaign wrote within so many days.',
      }),
    ),
  },
  'must be an object with ids of a segment or of tags, tags_mode any or all, and exclude_contacted_days from 1 to 365',
)

const hour = (says: string) =>
  formedText('^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$', says, { examples: ['09:00'] })

/** The hours in which a campaign sends. */
const SendWindow = Type.Object(
  {
    from: hour('must be a time such as 09:00'),
    to: hour('must be a time such as 18:00'),
    days: Type.Array(Type.Union(DAYS.map((day) => Type.Literal(day))), {
      minItems: 1,
      maxItems: 7,
      description: 'Days on which a span begins.',
    }),
  },
  {
    description:
      'In the time zone of the campaign; a span may go past midnight. Outside of it the campaign waits without being paused.',
  },
)

const SendWindowView = Type.Object({
  from: Text,
  to: Text,
  days: Type.Array(Type.String({ enum: [...DAYS] })),
})
export type SendWindow = Static<typeof SendWindowView>

const Money = Type.Object({
  amount: formedText('^\\d{1,9}(\\.\\d{1,6})?$', 'must be a decimal number such as 10.50', {
    examples: ['10.50'],
  }),
  currency: formedText('^[A-Z]{3}$', 'must be a currency of three capital letters', {
    examples: ['USD'],
  }),
})

/** How far a campaign has come. */
const COUNTERS = {
  total_recipients: Type.Integer(),
  pending_count: Type.Integer(),
  sending_count: Type.Integer({ description: 'On their way, without an answer of the platform.' }),
  sent_count: Type.Integer({ description: 'Taken by the platform, or further.' }),
  delivered_count: Type.Integer({ description: 'Delivered or read.' }),
  read_count: Type.Integer(),
  failed_count: Type.Integer(),
  skipped_count: Type.Integer(),
  cancelled_count: Type.Integer(),
  unknown_count: Type.Integer({
    description:
      'Those whose outcome the platform never told; they are not repeated unless asked for.',
  }),
  replied_count: Type.Integer({ description: 'Wrote within 72 hours.' }),
  clicked_count: Type.Integer({ description: 'Tapped a button of the message.' }),
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
    rate_limit: Type.Union([Type.Integer(), Type.Null()], { description: 'Messages a second.' }),
    budget: Type.Union([Type.Object({ amount: Text, currency: Text }), Type.Null()]),
    error_threshold: Type.Number(),
    ...COUNTERS,
    estimated_cost: Type.Union([Text, Type.Null()], {
      description: 'Decimal text; null where a price is not known.',
    }),
    actual_cost: Type.Union([Text, Type.Null()], {
      description:
        'What the platform has said it charges so far; null while one of these messages has no price.',
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
    'By variable what fills it: a field of the contact (`name`, `phone_number`, `username`, `user_id`, `country`, `language`, `attributes.<key>`, `metadata.<key>`), `{"value": …}`, or `{"field": …, "default": …}`. Variables of the text go by their name or number; others are `header.1`, `button.0`, `cards.0.1`.',
})

const FIELDS = {
  name: nameText(255),
  account_id: Uuid,
  template_id: Uuid,
  variable_mapping: Mapping,
  audience: AudienceInput,
  default_params: freeObject({ description: 'By variable what stands where nothing else does.' }),
  header_media_id: uuidOrNull,
  header_media_url: Type.String({ maxLength: 2_048, description: 'Fetched and kept at once.' }),
  scheduled_at: timeOrNull,
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    examples: ['Europe/Berlin'],
    description: 'IANA zone; that of the organization unless told.',
  }),
  send_window: Type.Union([SendWindow, Type.Null()]),
  rate_limit: Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Null()]),
  budget: Type.Union([Money, Type.Null()], {
    description: 'Nothing is sent that would go beyond it.',
  }),
  error_threshold: Type.Number({
    minimum: 0.01,
    maximum: 1,
    description: 'Part of the last hundred that may fail. Default 0.1.',
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
    message_id: Type.Union([Uuid, Type.Null()], { description: 'Of the newest attempt.' }),
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
      description: 'The most frequent first, 50 at most.',
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
          description: 'When the hour or the day of the campaign’s time zone begins.',
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
      description: 'By reason how many would be left out.',
    }),
    missing_params: Type.Array(
      Type.Object({
        recipient_id: uuidOrNull,
        contact_id: uuidOrNull,
        name: textOrNull,
        missing: Type.Array(Text),
      }),
      { description: 'The first hundred for whom the template cannot be filled in.' },
    ),
    by_country: Type.Array(
      Type.Object({
        country: textOrNull,
        count: Type.Integer(),
        unit_price: Type.Union([Text, Type.Null()], {
          description: 'Of one message outside of open windows.',
        }),
        inside_window_count: Type.Integer({
          description:
            'Those of them who wrote to the number within the 24 hours before the messages leave.',
        }),
        inside_window_price: Type.Union([Text, Type.Null()], {
          description: 'Of one message to one of these.',
        }),
        cost: textOrNull,
      }),
      { description: 'Country of the number; of user ids the one they begin with.' },
    ),
    estimated_cost: Type.Union([Text, Type.Null()], {
      description: 'Null where the price of a country is not known.',
    }),
    currency: textOrNull,
    price_date: timeOrNull,
    estimated_duration_s: Type.Integer({
      description: 'Without pauses and hours in which nothing is sent.',
    }),
    quota: Type.Object({
      tier: textOrNull,
      remaining: Type.Union([Type.Integer(), Type.Null()], {
        description:
          'People the portfolio may still reach in these 24 hours; null: not limited or not known.',
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
      { description: 'Three messages as their recipients would see them.' },
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
      Type.Boolean({ description: 'At once, although its schedule lies ahead. Default false.' }),
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
          'Failures no longer pause the campaign. Required to be true when `pause_reason` is `restored`, where it only confirms that recipients may get the message twice. Default false.',
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
        description: 'Our codes; else all that are worth it.',
      }),
    ),
    include_unknown: Type.Optional(
      Type.Boolean({ description: 'Also those whose message may have arrived. Default false.' }),
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
      Type.Boolean({ description: 'Those who were brought in, too. Default false.' }),
    ),
  },
  { title: 'CampaignCopy', examples: [{ name: 'Spring offer (2)' }] },
)
