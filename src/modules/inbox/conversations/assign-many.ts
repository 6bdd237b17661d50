import { and, inArray, ne } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { runHooks } from '../../../infra/transaction-hooks'
import { ConversationsAssigned } from './events'
import { conversations } from './table'
import { recordTimelineIn } from './timeline/record'

/** The member and the team of a conversation; omitted ones stay as they are. */
export interface Assignment {
  assignedTo?: string | null
  teamId?: string | null
}

/**
 * Assigns the open and snoozed conversations of many contacts to a member, a team or nobody, without
 * an event for each. Runs inside the caller's transaction.
 */
export function assignConversationsIn(
  tx: Tx,
  ctx: Ctx,
  contactIds: string[],
  assignment: Assignment,
): void {
  const open = inOrganization(
    ctx,
    conversations,
    and(inArray(conversations.contactId, contactIds), ne(conversations.state, 'closed')),
  )
  const before = tx.select().from(conversations).where(open).all()
  tx.update(conversations)
    .set({ ...assignment, updatedAtMs: ctx.clock.nowMs() })
    .where(open)
    .run()
  for (const row of before)
    recordTimelineIn(tx, ctx, { before: row, after: { ...row, ...assignment } })
  runHooks(tx, ctx, ConversationsAssigned, { contactIds, assignment })
}
