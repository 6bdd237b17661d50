import { eq, and } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { contacts } from '../contacts/table'
import { conversations } from './table'
import { uuidPlaceholder } from '../../infra/db/uuid'

/** A row of the conversations table. */
export type ConversationRow = typeof conversations.$inferSelect

const byId = compiled((orm) =>
  orm
    .select()
    .from(conversations)
    .where(inOrganization(anyScope, conversations, eq(conversations.id, uuidPlaceholder('id'))))
    .prepare(),
)

/** Returns the conversation, or `null`. Does not check visibility. */
export const findConversationById = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): ConversationRow | null => byId(ctx.db).get({ organizationId: ctx.organizationId, id }) ?? null

/** Joins a conversation with its contact. */
export const contactOf = and(
  eq(contacts.organizationId, conversations.organizationId),
  eq(contacts.id, conversations.contactId),
)
