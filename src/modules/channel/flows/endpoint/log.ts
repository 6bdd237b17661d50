import { and, desc, eq, lt } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { flowExchanges } from '../table'

/** Exchanges stored per Flow. */
const MAX_EXCHANGES = 500
const MAX_WORD_LENGTH = 100

/** A stored exchange, without entered data. */
export type LoggedExchange = Omit<typeof flowExchanges.$inferInsert, 'organizationId' | 'id'>

/** Stores an exchange and deletes all but the newest 500 of the Flow. */
export function logExchange(ctx: Ctx, exchange: LoggedExchange): void {
  transact(ctx.db, (tx) => {
    tx.insert(flowExchanges)
      .values({
        organizationId: ctx.organizationId,
        id: ctx.ids.next(),
        ...exchange,
        action: exchange.action.slice(0, MAX_WORD_LENGTH),
        screen: exchange.screen?.slice(0, MAX_WORD_LENGTH) ?? null,
      })
      .run()
    const oldest = tx
      .select({ id: flowExchanges.id })
      .from(flowExchanges)
      .where(inOrganization(ctx, flowExchanges, eq(flowExchanges.flowId, exchange.flowId)))
      .orderBy(desc(flowExchanges.id))
      .limit(1)
      .offset(MAX_EXCHANGES - 1)
      .get()
    if (oldest)
      tx.delete(flowExchanges)
        .where(
          inOrganization(
            ctx,
            flowExchanges,
            and(eq(flowExchanges.flowId, exchange.flowId), lt(flowExchanges.id, oldest.id)),
          ),
        )
        .run()
  })
}
