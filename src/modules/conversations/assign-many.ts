import { and, inArray, ne } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { conversations } from './table'

/**
 * Gives the conversations of many contacts that are not closed to a member or to nobody, in the
 * caller's transaction, without announcing each.
 */
export function giveConversationsIn(
  tx: Tx,
  ctx: Ctx,
  contactIds: string[],
  userId: string | null,
): void {
  tx.update(conversations)
    .set({ assignedTo: userId, updatedAtMs: ctx.clock.nowMs() })
    .where(
      inOrganization(
        ctx,
        conversations,
        and(inArray(conversations.contactId, contactIds), ne(conversations.state, 'closed')),
      ),
    )
    .run()
}
