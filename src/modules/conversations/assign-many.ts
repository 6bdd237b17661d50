import { and, inArray, ne } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { conversations } from './table'

/**
 * Assigns the open and snoozed conversations of many contacts to a member or to nobody, without an
 * event for each. Runs inside the caller's transaction.
 */
export function assignConversationsIn(
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
