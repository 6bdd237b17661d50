import { and, asc, eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { conversations, threadFacts } from '../../inbox/conversations/table'
import { archiveRow, type Facts } from './archive-row'

/** Number of rows read in one step. */
const PAGE = 250

/** Yields everything that said who answered a contact on shared phone numbers. */
export function* threadFactsOf(ctx: Ctx, contactId: string): Generator<Facts[]> {
  const own = ctx.db.orm
    .select({ id: conversations.id })
    .from(conversations)
    .where(inOrganization(ctx, conversations, eq(conversations.contactId, contactId)))
    .all()
  for (const { id } of own)
    for (let after = { kind: '', atMs: 0 }; ;) {
      const rows = ctx.db.orm
        .select()
        .from(threadFacts)
        .where(
          inOrganization(
            ctx,
            threadFacts,
            and(
              eq(threadFacts.conversationId, id),
              sql`(${threadFacts.kind}, ${threadFacts.atMs}) > (${after.kind}, ${after.atMs})`,
            ),
          ),
        )
        .orderBy(asc(threadFacts.kind), asc(threadFacts.atMs))
        .limit(PAGE)
        .all()
      yield rows.map((row) => archiveRow(threadFacts, row))
      const last = rows.at(-1)
      if (!last || rows.length < PAGE) break
      after = last
    }
}
