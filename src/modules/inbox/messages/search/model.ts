import { Type, type Static } from '@sinclair/typebox'

import { NoteView } from '../../contacts/notes/model'
import { MessageView } from '../model'

const textOrNull = Type.Union([Type.String(), Type.Null()])

/** Whom it is about, and where the words are. */
const place = {
  contact: Type.Object({
    id: Type.String({ format: 'uuid' }),
    display_name: textOrNull,
    phone_number: textOrNull,
    avatar_url: textOrNull,
  }),
  snippet: Type.String({ description: 'Part of the text in which the words were found.' }),
  ranges: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
    description: 'Positions of the found words in the snippet: start and end in UTF-16 code units.',
  }),
}

/** How the results go on. */
const more = {
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description: 'Cursor of the next page, or `null` on the last page.',
  }),
  partial: Type.Boolean({
    description: 'Whether the search stopped after two seconds. Continue with `next_cursor`.',
  }),
}

/** A message that was found, with its matches. */
const FoundMessage = Type.Object({ message: MessageView, ...place }, { title: 'FoundMessage' })

/** Search results. */
export const FoundMessages = Type.Object(
  { items: Type.Array(FoundMessage), ...more },
  { title: 'FoundMessages' },
)

/** A note that was found, with its matches. */
const FoundNote = Type.Object({ note: NoteView, ...place }, { title: 'FoundNote' })

/** Notes that were found. */
export const FoundNotes = Type.Object(
  { items: Type.Array(FoundNote), ...more },
  { title: 'FoundNotes' },
)
export type FoundNotes = Static<typeof FoundNotes>
export type FoundMessages = Static<typeof FoundMessages>
