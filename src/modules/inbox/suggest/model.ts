import { Type, type Static } from '@sinclair/typebox'

import { ContactView } from '../contacts/model'
import { ConversationView } from '../conversations/model'

/** Most suggestions of both kinds together. */
export const MAX_SUGGESTED = 8

/** Contacts and conversations whose customer a few letters name. */
export const Suggestions = Type.Object(
  {
    contacts: Type.Array(
      Type.Pick(ContactView, ['id', 'display_name', 'phone_number', 'avatar_url'], {
        title: 'SuggestedContact',
      }),
    ),
    conversations: Type.Array(
      Type.Pick(ConversationView, ['id', 'contact', 'account_id', 'state', 'last_message'], {
        title: 'SuggestedConversation',
      }),
    ),
  },
  { title: 'Suggestions' },
)
export type Suggestions = Static<typeof Suggestions>
