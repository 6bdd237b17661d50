import { eq, isNull } from 'drizzle-orm'

import { NotFoundError } from '../../lib/errors'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { contacts } from '../contacts/table'
import { isVisibleIn } from '../contacts/visibility'
import type { ConversationView } from './model'
import { type ConversationRow, contactOf } from './row'
import { conversations } from './table'
import { viewOf } from './load-views'

/** Returns the row of a conversation whose contact the caller can see. Throws NotFoundError. */
export function getVisibleConversation(ctx: Ctx, id: string): ConversationRow {
  const found = ctx.db.orm
    .select({ conversation: conversations })
    .from(conversations)
    .innerJoin(contacts, contactOf)
    .where(
      inOrganization(
        ctx,
        conversations,
        eq(conversations.id, id),
        isNull(contacts.deletedAtMs),
        isVisibleIn(ctx, conversations.contactId),
      ),
    )
    .get()
  if (!found) throw new NotFoundError('Conversation')
  return found.conversation
}

/** Returns a conversation whose contact the caller can see. Throws NotFoundError. */
export const getConversation = (ctx: Ctx, id: string): ConversationView =>
  viewOf(ctx, getVisibleConversation(ctx, id).id)
