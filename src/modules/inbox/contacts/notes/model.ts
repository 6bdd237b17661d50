import { Type, type Static } from '@sinclair/typebox'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const Content = Type.String({
  minLength: 1,
  maxLength: 4_096,
  description: '1 to 4096 characters, not blank.',
})
const Pinned = Type.Boolean({ description: 'Whether the note is pinned.' })

/** A note about a contact. */
export const NoteView = Type.Object(
  {
    id: Uuid,
    contact_id: Uuid,
    content: Type.String(),
    mentions: Type.Array(Uuid, { description: 'Mentioned members.' }),
    pinned: Type.Boolean(),
    created_by: Type.Union([Uuid, Type.Null()]),
    created_by_name: Type.Union([Type.String(), Type.Null()]),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Note' },
)
export type NoteView = Static<typeof NoteView>

/** Body of a new note. */
export const NewNote = Type.Object(
  {
    content: Content,
    mentions: Type.Optional(
      Type.Array(Uuid, {
        maxItems: 20,
        description: 'User IDs of members who can see the contact. Each is notified.',
      }),
    ),
    pinned: Type.Optional(Pinned),
  },
  {
    title: 'NoteInput',
    examples: [{ content: 'Prefers to be called in the evening.', pinned: true }],
  },
)
export type NewNote = Static<typeof NewNote>

/** Changes to a note. Omitted fields stay unchanged. */
export const NoteChanges = Type.Partial(Type.Object({ content: Content, pinned: Pinned }), {
  title: 'NoteChanges',
  minProperties: 1,
  examples: [{ content: 'Prefers email.' }],
})
export type NoteChanges = Static<typeof NoteChanges>
