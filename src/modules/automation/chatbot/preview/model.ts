import { Kind, Type, type Static } from '@sinclair/typebox'

import { freeObject, oneOf } from '../../../../lib/fields'
import { SESSION_STATUSES, SESSION_WAITS } from '../engine/table'
import { FILE_TYPES } from '../engine/model'
import { TraceEntry } from '../sessions/model'

const Uuid = Type.String({ format: 'uuid' })
const textOrNull = Type.Union([Type.String({ maxLength: 200 }), Type.Null()])
const wholeOrNull = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])

/** A message of the customer. */
const PreviewMessage = Type.Union(
  [
    Type.String({ minLength: 1, maxLength: 4_096 }),
    Type.Object({ text: Type.String({ minLength: 1, maxLength: 4_096 }) }),
    Type.Object({
      button_id: Type.String({ minLength: 1, maxLength: 256 }),
      title: Type.Optional(Type.String({ maxLength: 255 })),
    }),
    Type.Object({
      form: freeObject({ description: 'Response of a Flow.' }),
      flow_id: Type.Optional(Uuid),
    }),
    Type.Object({
      media: Type.Object({
        type: oneOf(FILE_TYPES),
        filename: Type.Optional(Type.String({ minLength: 1, maxLength: 240 })),
        caption: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
      }),
    }),
    Type.Object({
      location: Type.Object({
        latitude: Type.Number({ minimum: -90, maximum: 90 }),
        longitude: Type.Number({ minimum: -180, maximum: 180 }),
        name: Type.Optional(Type.String({ maxLength: 1_000 })),
        address: Type.Optional(Type.String({ maxLength: 1_000 })),
      }),
    }),
    Type.Object({
      contacts: Type.Array(freeObject({ description: 'As in `content` of a received message.' }), {
        minItems: 1,
        maxItems: 10,
      }),
    }),
    Type.Object({ order: freeObject({ description: 'As `content` of a received order.' }) }),
  ],
  {
    description:
      'A text, a tap on a button or list row, the response of a Flow, a file (which is not stored), a ' +
      'place, shared contacts, or an order.',
  },
)
export type PreviewMessage = Static<typeof PreviewMessage>

/** A session between two previews. It is sent back as it was answered. */
export const PreviewSession = Type.Object(
  {
    id: Uuid,
    status: oneOf(SESSION_STATUSES),
    waiting_for: Type.Union([oneOf(SESSION_WAITS), Type.Null()]),
    current_flow_id: Type.Union([Uuid, Type.Null()]),
    flow_version: wholeOrNull,
    current_step: textOrNull,
    variables: Type.Record(Type.String(), Type.Unknown()),
    steps: Type.Integer({ minimum: 0, maximum: 10_000 }),
    seq: Type.Integer({ minimum: 0, maximum: 100_000 }),
    retries: Type.Integer({ minimum: 0, maximum: 100 }),
    choices: Type.Union([
      Type.Array(
        Type.Object({
          id: Type.String({ maxLength: 200 }),
          title: Type.String({ maxLength: 200 }),
        }),
        { maxItems: 10 },
      ),
      Type.Null(),
    ]),
    fallbacks: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    question: Type.Optional(
      Type.Union([Type.String({ maxLength: 16_384 }), Type.Null()], {
        description: 'What the customer asked last that no rule and no flow answered.',
      }),
    ),
    language: Type.Optional(
      Type.Union([Type.String({ maxLength: 35 }), Type.Null()], {
        description: 'The language that was guessed from what the customer wrote.',
      }),
    ),
    is_disclosed: Type.Boolean(),
    ai_variables: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Variables with text that AI wrote, each with its model.',
      }),
    ),
    is_greeted: Type.Optional(
      Type.Boolean({
        description: 'Whether the customer was greeted, or finished a flow. Defaults to `false`.',
      }),
    ),
    end_reason: textOrNull,
  },
  { title: 'PreviewSession', description: 'A session between two previews.' },
)
export type PreviewSession = Static<typeof PreviewSession>

/**
 * A message in a list. Elysia takes a text for the list of its letters where items are a union, unless
 * the union is inside another schema.
 */
const OneOfMany = Type.Unsafe<PreviewMessage>({ [Kind]: 'Intersect', allOf: [PreviewMessage] })

/** Body of a preview. */
export const PreviewRequest = Type.Object(
  {
    message: Type.Optional(PreviewMessage),
    messages: Type.Optional(
      Type.Array(OneOfMany, {
        minItems: 1,
        maxItems: 20,
        description: 'Alternative to `message`: each is a turn of its own.',
      }),
    ),
    contact_id: Type.Optional(Uuid),
    account_id: Type.Optional(Uuid),
    variables: Type.Optional(
      freeObject({ description: 'Variables that a new session begins with, up to 16 KiB.' }),
    ),
    flow_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The bot flow that a new session begins: its draft, else its newest version.',
      }),
    ),
    graph: Type.Optional(
      freeObject({ description: 'The graph that a new session begins, instead of `flow_id`.' }),
    ),
    at: Type.Optional(
      Type.String({ format: 'date-time', description: 'The time of the turn. Defaults to now.' }),
    ),
    session: Type.Optional(PreviewSession),
    execute_http: Type.Optional(
      Type.Boolean({
        description:
          'Whether requests are made. Otherwise each counts as answered with 200. Defaults to `false`.',
      }),
    ),
    execute_ai: Type.Optional(
      Type.Boolean({
        description:
          'Whether the AI provider is asked, which uses the budget. Otherwise it answers a ' +
          'placeholder. Defaults to `false`.',
      }),
    ),
  },
  {
    title: 'BotPreviewRequest',
    examples: [{ message: 'When do you open?' }],
  },
)
export type PreviewRequest = Static<typeof PreviewRequest>

/** What the bot would do. */
export const PreviewResult = Type.Object(
  {
    replies: Type.Array(
      Type.Object({
        id: Type.String(),
        message: Type.Record(Type.String(), Type.Unknown(), {
          description: 'The message as `POST /api/contacts/{id}/messages` takes it.',
        }),
        ai_generated: Type.Boolean(),
      }),
    ),
    trace: Type.Array(TraceEntry),
    session: Type.Union([PreviewSession, Type.Null()], {
      description: 'The session afterwards. Send it with the next message.',
    }),
    outcome: Type.Object({
      answered: Type.Boolean({ description: 'Whether more than the fallback answered.' }),
      conversation_state: Type.Union([oneOf(['open', 'pending', 'closed']), Type.Null()], {
        description: 'The state of the conversation afterwards; `null` if it stays.',
      }),
      effects: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        description:
          'What production would do besides sending: `transfer`, `request`, `webhook`, `update_contact`, ' +
          '`tags`, `assign` and `hit`.',
      }),
    }),
  },
  { title: 'BotPreview' },
)
export type PreviewResult = Static<typeof PreviewResult>
