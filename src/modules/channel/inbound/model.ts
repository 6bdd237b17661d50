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
  reason: Type.Union([Type.String(), Type.Null()], {
    description:
      'Why it is ignored. Of an unrouted change: `received_elsewhere` if another server of `CELLS` ' +
      'passed it on, which counts it if no server has the number.',
  }),
  attempts: Type.Integer(),
  items: Type.Object({
    messages: Type.Integer(),
    statuses: Type.Integer(),
    errors: Type.Integer(),
    other: Type.Integer(),
  }),
  last_error: textOrNull,
  processed_at: Type.Union([Time, Type.Null()]),
  digest: Type.String({ description: 'SHA-256 of the delivery that contained the change.' }),
}

/** One change of a delivery of the platform, as the journal holds it. */
export const InboundEventView = Type.Object(eventFields, { title: 'InboundEvent' })
export type InboundEventView = Static<typeof InboundEventView>

/**
 * The same with the outcomes of items that were not simply applied, and for super admins the raw
 * change.
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
              'Number of further items of this kind with the same result. Items beyond 1,000 are ' +
              'only counted.',
          }),
        ),
      }),
    ),
    raw: Type.Unknown({
      description: 'The change as received, if a super admin requests it. Otherwise `null`.',
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
 * Selects the stored changes to process again. Without a filter, selects all that are not being
 * processed.
 */
export const ReplayRequest = Type.Object(
  {
    from: Type.Optional(
      Type.String({ maxLength: 40, description: 'Received at or after this ISO 8601 time.' }),
    ),
    to: Type.Optional(
      Type.String({ maxLength: 40, description: 'Received at or before this ISO 8601 time.' }),
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

/** Number of changes that will be processed again. */
export const Queued = Type.Object({ queued: Type.Integer() }, { title: 'Queued' })

const figures = {
  received: Type.Integer({ description: 'Changes received, including repeats.' }),
  duplicates: Type.Integer({
    description: 'Changes of deliveries that were received before with identical bytes.',
  }),
  unrouted: Type.Integer({
    description:
      'Changes for phone numbers that were not connected, without those that other servers of `CELLS` ' +
      'passed on. Always 0 for an organization.',
  }),
  failed: Type.Integer({
    description: 'Changes that had no effect when they were first processed.',
  }),
  ack_p50_ms: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Median response time. `null` without data.',
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
      description: 'Waiting time of the oldest unprocessed change. 0 if there is none.',
    }),
    hours: Type.Array(Type.Object({ hour: Time, ...figures }), {
      description: 'Hours with at least one delivery, oldest first.',
    }),
  },
  { title: 'InboundStats' },
)
export type InboundStats = Static<typeof InboundStats>
