import { eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { conversations } from './table'

/** A row of the conversations table. */
export type ConversationRow = typeof conversations.$inferSelect

const byId = compiled((orm) =>
  orm
    .select()
    .from(conversations)
    .where(inOrganization(anyScope, conversations, eq(conversations.id, sql.placeholder('id'))))
    .prepare(),
)

/** Returns the conversation, or `null`. Does not check visibility. */
export const findConversationById = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): ConversationRow | null => byId(ctx.db).get({ organizationId: ctx.organizationId, id }) ?? null
