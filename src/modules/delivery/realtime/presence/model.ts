import { Type, type Static } from '@sinclair/typebox'

const Uuid = Type.String({ format: 'uuid' })

/** Who is in a conversation. */
export const PresenceView = Type.Object(
  {
    conversation_id: Uuid,
    contact_id: Uuid,
    users: Type.Array(
      Type.Object({
        id: Uuid,
        full_name: Type.String(),
        doing: Type.String({ enum: ['viewing', 'typing'] }),
      }),
      { description: 'Empty if nobody is there any more.' },
    ),
  },
  { title: 'Presence' },
)
export type PresenceView = Static<typeof PresenceView>

/** Who is in which conversation. */
export const PresenceList = Type.Object({ items: Type.Array(PresenceView) })
