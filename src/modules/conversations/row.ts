import { eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { conversations } from './table'

/** A conversation as its row holds it. */
export type ConversationRow = typeof conversations.$inferSelect

const byId = compiled((orm) =>
  orm
    .select()
    .from(conversations)
    .where(inOrganization(anyScope, conversations, eq(conversations.id, sql.placeholder('id'))))
    .prepare(),
)

/** The conversation with this id, whoever sees it; `null` when there is none. */
export const findConversationById = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): ConversationRow | null => byId(ctx.db).get({ organizationId: ctx.organizationId, id }) ?? null
