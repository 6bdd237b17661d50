import { Type, type Static } from '@sinclair/typebox'

const Uuid = Type.String({ format: 'uuid' })
const uuidOrNull = Type.Union([Uuid, Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])
const Time = Type.String({ format: 'date-time' })

const eventFields = {
  id: Uuid,
  received_at: Time,
  field: textOrNull,
  account_id: uuidOrNull,
  phone_number_id: textOrNull,
  business_id: textOrNull,
  state: Type.String({
    enum: ['pending', 'processing', 'done', 'partial', 'failed', 'unrouted', 'ignored'],
  }),
  reason: textOrNull,
  attempts: Type.Integer(),
  items: Type.Object({
    messages: Type.Integer(),
    statuses: Type.Integer(),
    errors: Type.Integer(),
    other: Type.Integer(),
  }),
  last_error: textOrNull,
  processed_at: Type.Union([Time, Type.Null()]),
  digest: Type.String({ description: 'SHA-256 of the delivery it came in.' }),
}

/** One change of a delivery of the platform, as the journal holds it. */
export const InboundEventView = Type.Object(eventFields, { title: 'InboundEvent' })
export type InboundEventView = Static<typeof InboundEventView>

/**
 * The same with what became of items that did not simply take effect, and for super admins the
 * change as it came.
 */
export const InboundEventDetails = Type.Object(
  {
    ...eventFields,
    outcomes: Type.Array(
      Type.Object({
        kind: Type.String(),
        index: Type.Integer(),
        outcome: Type.String(),
        reason: Type.Optional(Type.String()),
        more: Type.Optional(
          Type.Integer({
            description:
              'So many further items of this kind came to the same; beyond a thousand they are only counted.',
          }),
        ),
      }),
    ),
    raw: Type.Unknown({
      description: 'The change as it came, on request of a super admin; else null.',
    }),
  },
  { title: 'InboundEventDetails' },
)
export type InboundEventDetails = Static<typeof InboundEventDetails>

/** The answer to a delivery: the platform reads only its status code. */
export const Acknowledgement = Type.Object(
  { status: Type.Literal('ok') },
  { title: 'Acknowledgement' },
)

/**
 * Which journaled changes are to be worked off once more; without anything all that are not under
 * way.
 */
export const ReplayRequest = Type.Object(
  {
    from: Type.Optional(
      Type.String({ maxLength: 40, description: 'Received at or after, ISO 8601.' }),
    ),
    to: Type.Optional(
      Type.String({ maxLength: 40, description: 'Received at or before, ISO 8601.' }),
    ),
    field: Type.Optional(Type.String({ maxLength: 100 })),
    state: Type.Optional(
      Type.Union([
        Type.Literal('done'),
        Type.Literal('partial'),
        Type.Literal('failed'),
        Type.Literal('unrouted'),
        Type.Literal('ignored'),
      ]),
    ),
    phone_number_id: Type.Optional(Type.String({ maxLength: 40 })),
  },
  { title: 'ReplayRequest', examples: [{ state: 'unrouted', phone_number_id: '301000000000001' }] },
)
export type ReplayRequest = Static<typeof ReplayRequest>

/** How many changes will be worked off once more. */
export const Queued = Type.Object({ queued: Type.Integer() }, { title: 'Queued' })

const figures = {
  received: Type.Integer({ description: 'Changes that came, repeats among them.' }),
  duplicates: Type.Integer({
    description: 'Changes of deliveries that had come before, byte by byte.',
  }),
  unrouted: Type.Integer({
    description: 'Changes for numbers nobody had connected; always 0 for an organization.',
  }),
  failed: Type.Integer({
    description: 'Changes of which nothing took effect when they were worked off first.',
  }),
  ack_p50_ms: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Half of the answers were given in so long; null without any.',
  }),
  ack_p99_ms: Type.Union([Type.Integer(), Type.Null()]),
}

/** How deliveries went, in all and by hour. */
export const InboundStats = Type.Object(
  {
    from: Time,
    to: Time,
    ...figures,
    oldest_pending_age_ms: Type.Integer({
      description:
        'How long the oldest change that is not worked off has waited; 0 when none waits.',
    }),
    hours: Type.Array(Type.Object({ hour: Time, ...figures }), {
      description: 'Hours in which something came, oldest first.',
    }),
  },
  { title: 'InboundStats' },
)
export type InboundStats = Static<typeof InboundStats>
