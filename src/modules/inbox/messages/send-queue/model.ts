import { Type, type Static } from '@sinclair/typebox'

/** Why nothing is sent from a phone number. */
const BLOCK_REASONS = [
  'pending',
  'disconnected',
  'suspended',
  'no_token',
  'paused',
  'paused_by_person',
]
const HELD_REASONS = [
  ...BLOCK_REASONS,
  'restricted',
  'funding',
  'template_paused',
  'template_syncing',
  'contact_pace',
  'earlier_unconfirmed',
  'media',
]
const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const textOrNull = Type.Union([Type.String(), Type.Null()])

/** Delivery states of messages in the send queue. */
export const OUTBOX_STAGES = [
  'queued',
  'held',
  'uploading',
  'retry_wait',
  'sending',
  'ambiguous',
] as const

/** An unsent or unresolved message. */
export const OutboxItem = Type.Object(
  {
    message_id: Uuid,
    account_id: Uuid,
    contact_id: Uuid,
    type: Type.String(),
    stage: Type.String({ enum: [...OUTBOX_STAGES] }),
    attempts: Type.Integer({ description: 'Calls made to the platform so far.' }),
    next_at: Type.Union([Time, Type.Null()], {
      description:
        'When the message is processed next. `null` while it waits for its phone number.',
    }),
    held_reason: Type.Union([Type.String({ enum: HELD_REASONS }), Type.Null()], {
      description: 'Reason why the message waits.',
    }),
    last_error: textOrNull,
    created_at: Time,
  },
  { title: 'OutboxItem' },
)
export type OutboxItem = Static<typeof OutboxItem>

/** Send queue of one phone number and its current rate. */
export const OutboxStats = Type.Object(
  {
    account_id: Uuid,
    paused: Type.Boolean({
      description: 'Whether sending from this number is currently paused or blocked.',
    }),
    held_reason: Type.Union([Type.String({ enum: BLOCK_REASONS }), Type.Null()], {
      description: 'Reason why the number is paused or blocked. `null` if it sends.',
    }),
    queued: Type.Integer(),
    held: Type.Integer(),
    retry_wait: Type.Integer(),
    ambiguous: Type.Integer(),
    rate_now: Type.Number({
      description:
        'Current send rate in messages per second. Lower than `rate_limit` after the platform ' +
        'reported too many messages.',
    }),
    rate_limit: Type.Integer({
      description: 'Send rate allowed by the platform, in messages per second.',
    }),
    oldest_age_ms: Type.Union([Type.Integer(), Type.Null()]),
  },
  { title: 'OutboxStats' },
)
export type OutboxStats = Static<typeof OutboxStats>

const account_id = Type.String({ format: 'uuid' })

/** Body of pausing a phone number. */
export const PauseRequest = Type.Object(
  { account_id, reason: Type.Optional(Type.String({ maxLength: 255 })) },
  {
    title: 'PauseRequest',
    examples: [{ account_id: '019a52b0-1c00-7000-8000-000000000002', reason: 'Wrong price list' }],
  },
)

/** Whether a person paused the phone number. */
export const PauseView = Type.Object(
  { account_id, paused: Type.Boolean() },
  { title: 'OutboxPause' },
)

/**
 * Selects waiting messages of a phone number, optionally of one contact or created before a time.
 */
export const CancelRequest = Type.Object(
  {
    account_id,
    older_than: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only messages written before this time.' }),
    ),
    contact_id: Type.Optional(Uuid),
  },
  { title: 'CancelRequest', examples: [{ account_id: '019a52b0-1c00-7000-8000-000000000002' }] },
)

/** Number of canceled messages. */
export const CancelView = Type.Object({ cancelled: Type.Integer() }, { title: 'OutboxCancelled' })
