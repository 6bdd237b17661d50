import { inArray, isNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { contacts } from '../../../inbox/contacts/table'
import { isVisibleIn } from '../../../inbox/contacts/sight/visibility'
import { contactOf } from '../../../inbox/conversations/row'
import { conversations } from '../../../inbox/conversations/table'
import type { Presence } from './presence'
import type { PresenceView } from './model'

/** Returns who is in the conversations that the caller can see. */
export function listPresence(ctx: Ctx, presence: Presence): { items: PresenceView[] } {
  const rooms = presence.of(ctx.organizationId)
  const visible = new Set(
    ctx.db.orm
      .select({ id: conversations.id })
      .from(conversations)
      .innerJoin(contacts, contactOf)
      .where(
        inOrganization(
          ctx,
          conversations,
          inArray(
            conversations.id,
            rooms.map(({ conversationId }) => conversationId),
          ),
          isNull(contacts.deletedAtMs),
          isVisibleIn(ctx, conversations.contactId),
        ),
      )
      .all()
      .map(({ id }) => id),
  )
  return {
    items: rooms
      .filter(({ conversationId }) => visible.has(conversationId))
      .map(({ conversationId, contactId, users }) => ({
        conversation_id: conversationId,
        contact_id: contactId,
        users,
      })),
  }
}
