import { Type, type Static } from '@sinclair/typebox'

import { oneOf } from '../../../lib/fields'
import { MESSAGE_STATUSES, THREAD_TYPES } from '../../../platform/message-types'
import { PASS_TARGETS } from '../../../platform/routing-roles'
import { CostMonth } from '../../channel/accounts/connection/model'
import { TAG_COLORS } from '../tags/table'
import { THREAD_OWNERS } from './table'

const Uuid = Type.String({ format: 'uuid' })
const timeOrNull = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])
const uuidOrNull = Type.Union([Uuid, Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])

const referralOrNull = (description: string) =>
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], { description })

/** The conversation between one contact and one of the organization's phone numbers. */
export const ConversationView = Type.Object(
  {
    id: Uuid,
    contact: Type.Object({
      id: Uuid,
      display_name: textOrNull,
      phone_number: textOrNull,
      avatar_url: textOrNull,
      tags: Type.Array(
        Type.Object({
          id: Uuid,
          name: Type.String(),
          color: Type.String({ enum: [...TAG_COLORS] }),
        }),
      ),
      blocked: Type.Boolean(),
    }),
    account_id: Uuid,
    state: Type.String({ enum: ['open', 'pending', 'snoozed', 'closed'] }),
    assigned_to: uuidOrNull,
    assigned_user: Type.Union([Type.Object({ id: Uuid, full_name: Type.String() }), Type.Null()]),
    team_id: uuidOrNull,
    team: Type.Union([Type.Object({ id: Uuid, name: Type.String() }), Type.Null()]),
    unread_count: Type.Integer(),
    last_message: Type.Union([
      Type.Object({
        id: Uuid,
        direction: Type.String({ enum: ['incoming', 'outgoing'] }),
        type: Type.String({ enum: [...THREAD_TYPES] }),
        preview: Type.String(),
        status: Type.String({ enum: [...MESSAGE_STATUSES] }),
        timestamp: Type.String({ format: 'date-time' }),
        error_code: Type.Union([Type.String(), Type.Null()], {
          description: 'Why the message failed, as in `error.code` of the message.',
        }),
      }),
      Type.Null(),
    ]),
    transfer: Type.Union(
      [
        Type.Object({
          id: Uuid,
          agent_id: uuidOrNull,
          team_id: uuidOrNull,
          priority: Type.Integer(),
          sla_response_deadline: timeOrNull,
          sla_breached: Type.Boolean(),
        }),
        Type.Null(),
      ],
      { description: 'The active transfer of the contact on this number.' },
    ),
    last_inbound_at: timeOrNull,
    window_expires_at: timeOrNull,
    window_open: Type.Boolean({
      description: 'Whether the 24-hour window is open.',
    }),
    snoozed_until: timeOrNull,
    first_response_at: timeOrNull,
    waiting_since: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Time of the oldest message without an answer; `null` if none waits.',
    }),
    bot_active: Type.Boolean(),
    bot_waits_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When a flow of the bot goes on that waits in a `delay`, else `null`.',
    }),
    priority: Type.String({ enum: ['low', 'normal', 'high', 'urgent'] }),
    thread_owner: Type.String({
      enum: [...THREAD_OWNERS],
      description:
        'Who answers the customer. Always `us` unless the number is shared with another app or ' +
        "the platform's own agent. `idle`: nobody, because the customer has not written for 24 " +
        'hours. `unknown`: not us, or nothing is known yet.',
    }),
    owner_since: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: '`null` while no change of the owner is known.',
    }),
    owner_role: Type.Union([Type.String(), Type.Null()], {
      description:
        'Role of the owner on the number, as the platform names it: `customer_service`, ' +
        '`marketing`, `utility`, `ctwa`, `escalation`, `ai_agent`, or a later one. `null` if no ' +
        'handover named it.',
    }),
    can_take: Type.Boolean({
      description:
        'Whether the number is shared and this app is its escalation partner, which may take the ' +
        'thread. `true` on a shared number if the platform does not tell the roles.',
    }),
    can_call: Type.Boolean({
      description:
        'Whether this app answers the calls of the number. `true` if the platform does not tell the ' +
        'roles.',
    }),
    closed_at: timeOrNull,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    first_referral: referralOrNull('First ad the customer came from, by message time.'),
    last_referral: referralOrNull('Latest ad the customer came from.'),
    free_entry_point_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'End of the 72 hours in which messages are free after an ad click.',
    }),
    cost_month: Type.Union([CostMonth, Type.Null()], {
      description: 'Cost of the messages sent this month. `null` = none, or no price is known.',
    }),
  },
  { title: 'Conversation' },
)
export type ConversationView = Static<typeof ConversationView>

/** Open conversations of a team or number. */
const Folder = Type.Object(
  { id: Uuid, name: Type.String(), count: Type.Integer() },
  { title: 'ConversationFolder' },
)
export type Folder = Static<typeof Folder>

/** Numbers of conversations that match the filters. */
export const ConversationCounts = Type.Object(
  {
    open: Type.Integer(),
    pending: Type.Integer(),
    snoozed: Type.Integer(),
    closed: Type.Integer(),
    mine: Type.Integer({ description: 'Number of conversations assigned to the caller.' }),
    unassigned: Type.Integer(),
    unread: Type.Integer({ description: 'Number of conversations with unread messages.' }),
    by_state: Type.Object({
      open: Type.Integer(),
      pending: Type.Integer(),
      snoozed: Type.Integer(),
      closed: Type.Integer(),
    }),
    by_account: Type.Record(Type.String(), Type.Integer(), {
      description: 'Number of conversations by ID of the phone number, without zeros.',
      examples: [{ '019a52b0-1c00-7000-8000-000000000003': 12 }],
    }),
    by_team: Type.Record(Type.String(), Type.Integer(), {
      description: 'Number of conversations by ID of their team, without zeros.',
      examples: [{ '019a52b0-1c00-7000-8000-000000000005': 4 }],
    }),
    by_user: Type.Record(Type.String(), Type.Integer(), {
      description: 'Number of conversations by ID of the user who has them, without zeros.',
      examples: [{ '019a52b0-1c00-7000-8000-000000000002': 7 }],
    }),
    folders: Type.Object(
      {
        mine: Type.Integer(),
        unassigned: Type.Integer(),
        waiting: Type.Integer({ description: 'As `waiting=mine` lists them, up to 1,000.' }),
        mentioned: Type.Integer({ description: 'As `mentioned=me` lists them, up to 1,000.' }),
        accounts: Type.Array(Folder, {
          description: 'The first 50 phone numbers by name, with `accounts:read`.',
        }),
        teams: Type.Array(Folder, {
          description:
            'The first 50 active teams by name: all with `teams:read`, otherwise those of the caller.',
        }),
      },
      { description: 'Numbers of open conversations, also by phone number and team.' },
    ),
    closed_today: Type.Integer({
      description:
        "Number of the caller's conversations that were closed today, in the time zone of the " +
        'organization, and are still closed. Without those that had no message in the last 30 days.',
    }),
    closing_window: Type.Integer({
      description: 'Number of conversations whose 24-hour window ends in less than two hours.',
    }),
    waiting_longest_seconds: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'How long the customer who waits longest for an answer has waited. Closed conversations ' +
        'do not count. `null` if nobody waits.',
    }),
  },
  { title: 'ConversationCounts' },
)
export type ConversationCounts = Static<typeof ConversationCounts>

/** Body to open a conversation before anyone has written. */
export const NewConversation = Type.Object(
  {
    contact_id: Uuid,
    account_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'One of your phone numbers. Defaults to the one last used with the contact, then to ' +
          'the default outgoing number.',
      }),
    ),
  },
  {
    title: 'ConversationInput',
    examples: [{ contact_id: '019a52b0-1c00-7000-8000-000000000004' }],
  },
)
export type NewConversation = Static<typeof NewConversation>

/** Changes to a conversation. Omitted fields stay unchanged. */
export const ConversationChange = Type.Object(
  {
    state: Type.Optional(
      Type.Union([Type.Literal('open'), Type.Literal('pending'), Type.Literal('closed')]),
    ),
    priority: Type.Optional(
      Type.Union([
        Type.Literal('low'),
        Type.Literal('normal'),
        Type.Literal('high'),
        Type.Literal('urgent'),
      ]),
    ),
  },
  {
    title: 'ConversationChange',
    minProperties: 1,
    examples: [{ state: 'closed', priority: 'normal' }],
  },
)
export type ConversationChange = Static<typeof ConversationChange>

/** Body to snooze a conversation. */
export const Snooze = Type.Object(
  {
    until: Type.Union([Type.String({ format: 'date-time' }), Type.Literal('reply')], {
      description: 'A time up to 90 days in the future, or `reply`: until the customer writes.',
    }),
  },
  { title: 'Snooze', examples: [{ until: '2026-11-22T08:00:00.000Z' }] },
)

/** New assignee; `null` unassigns. At least one of the two fields is required. */
export const NewAssignment = Type.Object(
  {
    user_id: Type.Optional(
      Type.Union([Uuid, Type.Null()], { description: 'User ID of an active member.' }),
    ),
    team_id: Type.Optional(
      Type.Union([Uuid, Type.Null()], { description: 'ID of a team in the organization.' }),
    ),
  },
  { title: 'Assignment', examples: [{ user_id: '019a52b0-1c00-7000-8000-000000000002' }] },
)
export type NewAssignment = Static<typeof NewAssignment>

/** An action on the thread of a conversation on a shared number. */
export const ThreadControl = Type.Object(
  {
    action: Type.Union([Type.Literal('pass'), Type.Literal('release'), Type.Literal('take')], {
      description:
        '`pass`: another responder of the number answers from now on. `release`: nobody owns the ' +
        'thread until the customer writes. `take`: you answer from now on; only the escalation ' +
        'partner of the number may do this.',
    }),
    to_role: Type.Optional(
      oneOf(PASS_TARGETS, {
        description:
          'Responder who gets the thread, for `pass` only. Without it, the escalation partner gets ' +
          "the thread. `ai_agent` is the platform's own agent; `ctwa` answers customers who come " +
          'from an ad.',
      }),
    ),
  },
  { title: 'ThreadControl', examples: [{ action: 'take' }] },
)
export type ThreadControl = Static<typeof ThreadControl>
