import { and, eq, type SQL } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import { contacts } from '../contacts/table'
import { messages } from '../messages/table'
import { conversations } from './table'

/** A row of the conversations table. */
export type ConversationRow = typeof conversations.$inferSelect

const byId = compiled((orm) =>
  orm
    .select()
    .from(conversations)
    .where(
      inOrganization(anyScope, conversations, eq(conversations.id, place(conversations.id, 'id'))),
    )
    .prepare(),
)

/** Returns the conversation, or `null`. Does not check visibility. */
export const findConversationById = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): ConversationRow | null => byId(ctx.db).get({ organizationId: ctx.organizationId, id }) ?? null

/**
 * Condition for the messages of a conversation. Their contact is that of the conversation, and they
 * are found by the contact's index, among its messages to other phone numbers.
 */
export const messagesOf = (row: Pick<ConversationRow, 'id' | 'contactId'>): SQL | undefined =>
  and(eq(messages.contactId, row.contactId), eq(messages.conversationId, row.id))

/** Joins a conversation with its contact. */
export const contactOf = and(
  eq(contacts.organizationId, conversations.organizationId),
  eq(contacts.id, conversations.contactId),
)
