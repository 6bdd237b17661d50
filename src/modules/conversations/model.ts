import { Type, type Static } from '@sinclair/typebox'

const Uuid = Type.String({ format: 'uuid' })
const timeOrNull = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])
const uuidOrNull = Type.Union([Uuid, Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])

/** What one contact and one of our numbers have to say to each other, as the API answers it. */
export const ConversationView = Type.Object(
  {
    id: Uuid,
    contact: Type.Object({
      id: Uuid,
      display_name: textOrNull,
      phone_number: textOrNull,
      avatar_url: textOrNull,
      tags: Type.Array(Type.Object({ id: Uuid, name: Type.String(), color: Type.String() })),
      blocked: Type.Boolean(),
    }),
    account_id: Uuid,
    state: Type.String({ enum: ['open', 'pending', 'snoozed', 'closed'] }),
    assigned_to: uuidOrNull,
    assigned_user: Type.Union([Type.Object({ id: Uuid, full_name: Type.String() }), Type.Null()]),
    team_id: uuidOrNull,
    unread_count: Type.Integer(),
    last_message: Type.Union([
      Type.Object({
        id: Uuid,
        direction: Type.String({ enum: ['incoming', 'outgoing'] }),
        type: Type.String(),
        preview: Type.String(),
        status: Type.String(),
        timestamp: Type.String({ format: 'date-time' }),
      }),
      Type.Null(),
    ]),
    last_inbound_at: timeOrNull,
    window_expires_at: timeOrNull,
    window_open: Type.Boolean({ description: 'Whether any message may be sent, not only templates.' }),
    snoozed_until: timeOrNull,
    first_response_at: timeOrNull,
    bot_active: Type.Boolean(),
    priority: Type.String({ enum: ['low', 'normal', 'high', 'urgent'] }),
    closed_at: timeOrNull,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Conversation' },
)
export type ConversationView = Static<typeof ConversationView>
