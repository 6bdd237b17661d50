import { Type, type Static } from '@sinclair/typebox'

import { ListedContact } from '../../../inbox/contacts/listed'
import { MessageView } from '../../../inbox/messages/model'
import { freeObject } from '../../../../lib/fields'
import { PanelConfig } from '../bot-flows/table'
import { SESSION_STATUSES, SESSION_WAITS, STAGES } from '../engine/table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const orNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  schema: T,
  description?: string,
) => Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

const session = {
  id: Uuid,
  contact_id: Uuid,
  account_id: Uuid,
  status: Type.String({
    enum: [...SESSION_STATUSES],
    description: 'All but `active` are final.',
  }),
  waiting_for: Type.Union([Type.String({ enum: [...SESSION_WAITS] }), Type.Null()], {
    description: 'The event that continues an active session; `null` while it runs.',
  }),
  current_flow_id: orNull(Uuid),
  flow_version: orNull(Type.Integer(), 'The version of the bot flow that the session began with.'),
  current_step: orNull(Type.String(), 'ID of the node.'),
  started_at: Time,
  last_activity: Time,
  ended_at: orNull(Time),
  end_reason: orNull(
    Type.String(),
    'Why it ended, such as `person_wrote`, `cancel_word`, `loop_guard` or `window_closed`.',
  ),
}

const Variables = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Variables of the bot flow.',
})

/** A session of the bot with a contact on a phone number. */
export const BotSessionView = Type.Object(
  { ...session, variables: Variables },
  { title: 'BotSession' },
)
export type BotSessionView = Static<typeof BotSessionView>

/** Who and what a session is about, as people call it. */
const names = {
  contact: ListedContact,
  flow: Type.Union([Type.Object({ id: Uuid, name: Type.String() }), Type.Null()], {
    description: 'The bot flow that it is in; `null` outside of one, and if it was deleted.',
  }),
  step: Type.Union(
    [
      Type.Object({
        id: Type.String(),
        type: Type.String(),
        label: orNull(Type.String(), 'The name of the node.'),
      }),
      Type.Null(),
    ],
    { description: 'The node where it stands.' },
  ),
}

/** Largest variables of a session in a list, bytes. */
export const MAX_LISTED_VARIABLES = 4_096

/** A session in lists. */
export const SessionItem = Type.Object(
  {
    ...session,
    ...names,
    variables: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Variables of the bot flow. Absent if they are larger than 4 KiB.',
      }),
    ),
  },
  { title: 'BotSessionItem' },
)
export type SessionItem = Static<typeof SessionItem>

const traceEntry = {
  seq: Type.Integer(),
  at: Time,
  message_id: orNull(Uuid, "The customer's message."),
  stage: Type.String({ enum: [...STAGES], description: 'The part of a turn.' }),
  node_id: orNull(Type.String()),
  node_type: orNull(Type.String()),
  input: orNull(Type.String(), 'The beginning of what the customer wrote.'),
  outcome: Type.String(),
  next_node: orNull(Type.String()),
  sent_message_ids: Type.Array(Type.String()),
  duration_ms: orNull(Type.Integer()),
  error: orNull(Type.String()),
}

/** One step of the bot. */
export const TraceEntry = Type.Object(traceEntry, { title: 'BotTraceEntry' })
export type TraceEntry = Static<typeof TraceEntry>

/** What the bot did at once, with the name that people gave to where it did. */
export const SessionStep = Type.Object(
  {
    ...traceEntry,
    node_label: orNull(Type.String(), 'The name of the node, if somebody gave it one.'),
  },
  { title: 'BotSessionStep' },
)
export type SessionStep = Static<typeof SessionStep>

/** A session with its messages and its trace. */
export const SessionDetails = Type.Object(
  {
    ...session,
    ...names,
    variables: Variables,
    messages: Type.Array(MessageView, {
      description: 'Messages of both sides, oldest first; the newest 200.',
    }),
    trace: Type.Array(SessionStep, {
      description: 'What the bot did, in order; the newest 500 steps of the last 30 days.',
    }),
  },
  { title: 'BotSessionDetails' },
)
export type SessionDetails = Static<typeof SessionDetails>
/** Starts a bot flow with a contact. */
export const FlowStart = Type.Object(
  {
    contact_id: Uuid,
    account_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'Phone number to send from. Defaults to the one last used with the contact, then to the ' +
          'default outgoing number.',
      }),
    ),
    variables: Type.Optional(
      freeObject({ description: 'Variables that the flow begins with, up to 16 KiB.' }),
    ),
    replace: Type.Optional(
      Type.Boolean({
        description: 'Whether to end an active session of the contact. Defaults to `false`.',
      }),
    ),
  },
  {
    title: 'BotFlowStart',
    examples: [
      { contact_id: '019a52b0-1c00-7000-8000-000000000004', variables: { order: 'A-1001' } },
    ],
  },
)
export type FlowStart = Static<typeof FlowStart>

/** What a bot flow has asked a contact. */
export const SessionData = Type.Object(
  {
    session_id: orNull(Uuid),
    flow_id: orNull(Uuid),
    flow_name: orNull(Type.String()),
    session_data: Type.Union([Variables, Type.Null()]),
    panel_config: Type.Union([PanelConfig, Type.Null()]),
  },
  { title: 'SessionData' },
)
export type SessionData = Static<typeof SessionData>
