import { hasPermission } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { reader } from '../../../infra/read/reader'
import { newestContacts } from '../contacts/list/list'
import { newestConversations } from '../conversations/list'
import { MAX_SUGGESTED, type Suggestions } from './model'

/**
 * Returns the contacts and conversations of a search that the caller sees, newest message first.
 * Each kind has half of the places, and those that the other leaves free.
 */
function suggest(ctx: ReadCtx, { q }: { q: string }): Suggestions {
  const contacts = newestContacts(ctx, { search: q }, MAX_SUGGESTED)
  const conversations = hasPermission(ctx.actor, 'messages:read')
    ? newestConversations(ctx, { search: q }, MAX_SUGGESTED)
    : []
  const shown = conversations.slice(0, Math.max(MAX_SUGGESTED / 2, MAX_SUGGESTED - contacts.length))
  return {
    contacts: contacts
      .slice(0, MAX_SUGGESTED - shown.length)
      .map(({ id, display_name, phone_number, avatar_url }) => ({
        ...{ id, display_name, phone_number, avatar_url },
      })),
    conversations: shown.map(({ id, contact, account_id, state, last_message }) => ({
      ...{ id, contact, account_id, state, last_message },
    })),
  }
}

/** Suggests contacts and conversations (`suggest`). */
export const Suggest = reader('suggest', 'list', suggest)
