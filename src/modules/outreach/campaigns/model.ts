import { Type, type Static } from '@sinclair/typebox'

export const Uuid = Type.String({ format: 'uuid' })

export const Time = Type.String({ format: 'date-time' })

export const Text = Type.String()

export const textOrNull = Type.Union([Text, Type.Null()])

export const timeOrNull = Type.Union([Time, Type.Null()])

export const uuidOrNull = Type.Union([Uuid, Type.Null()])

export const Params = Type.Record(Type.String(), Type.Unknown())

/** The states of a campaign. */
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
  'funding',
  'restored',
] as const

/** The states of a recipient. */
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

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** The contacts a campaign selects, in addition to imported recipients. */
const AudienceView = Type.Object(
  {
    segment_id: uuidOrNull,
    filter: Type.Union([Params, Type.Null()], {
      description: 'Filter of contacts, as segments have it.',
    }),
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

const SendWindowView = Type.Object({
  from: Text,
  to: Text,
  days: Type.Array(Type.String({ enum: [...DAYS] })),
})

export type SendWindow = Static<typeof SendWindowView>

/** The counters of a campaign. */
export const COUNTERS = {
  total_recipients: Type.Integer(),
  pending_count: Type.Integer(),
  sending_count: Type.Integer({ description: 'Messages submitted without a response yet.' }),
  sent_count: Type.Integer({
    description:
      'Recipients whose message was accepted by the platform, including delivered, read, and ' +
      'those that failed afterwards.',
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

export const StatusView = Type.String({ enum: [...CAMPAIGN_STATUSES] })

export const PauseReasonView = Type.Union([Type.String({ enum: [...PAUSE_REASONS] }), Type.Null()])

/** A campaign in API responses. */
export const CampaignView = Type.Object(
  {
    id: Uuid,
    name: Text,
    account_id: Uuid,
    template_id: Type.Union([Uuid, Type.Null()], {
      description: '`null` in a draft whose template is not chosen yet.',
    }),
    template_name: textOrNull,
    status: StatusView,
    pause_reason: PauseReasonView,
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

/** A recipient in API responses. */
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
    columns: Params,
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

const { sent_at, delivered_at, read_at, failed_at, replied_at } = RecipientView.properties

/** A campaign that was sent to a contact, and what became of it there. */
export const ReceivedCampaign = Type.Object(
  {
    ...{ id: Uuid, name: Text, status: RecipientView.properties.status },
    ...{ sent_at, delivered_at, read_at, failed_at, replied_at },
  },
  { title: 'ReceivedCampaign' },
)
export type ReceivedCampaign = Static<typeof ReceivedCampaign>
