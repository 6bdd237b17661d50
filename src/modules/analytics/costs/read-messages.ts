import { and, eq, lt, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { inSlices } from '../../../infra/event-loop'
import { uuidPlaceholder } from '../../../infra/db/uuid'
import { messages } from '../../messages/table'
import type { PricedMessage } from './sums'

/** A message with a cost, and its conversation. */
export interface CostRow extends PricedMessage {
  conversationId: string
}

/** Messages read per query. */
const READ_AT_ONCE = 200

/**
 * The longest time between the creation of a message and its sending, and how far the platform's
 * clock may be behind. Messages are found by their creation.
 */
const SENT_AFTER_MS = 7 * DAY_MS
const SENT_BEFORE_MS = DAY_MS

const costsOfNumber = compiled((orm) =>
  orm
    .select({
      row: sql<number>`${messages}.rowid`,
      createdAtMs: messages.createdAtMs,
      sentAtMs: messages.sentAtMs,
      costMicros: messages.costMicros,
      costCurrency: messages.costCurrency,
      costFreeReason: messages.costFreeReason,
      isCostEstimate: messages.isCostEstimate,
      costMonth: messages.costMonth,
      conversationId: messages.conversationId,
    })
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.accountId, uuidPlaceholder('accountId')),
          // The text matches the partial index.
          sql`${messages.direction} = 'outgoing'`,
          sql`(${messages.createdAtMs}, ${messages}.rowid) > (${sql.placeholder('fromMs')}, ${sql.placeholder('after')})`,
          lt(messages.createdAtMs, sql.placeholder('beforeMs')),
        ),
      ),
    )
    .orderBy(messages.createdAtMs, sql`${messages}.rowid`)
    .limit(READ_AT_ONCE)
    .prepare(),
)

/**
 * Reads the messages of a number with a cost that were sent in a period, or, while they wait,
 * created in it. Reads in slices of a few milliseconds. `take` gets each.
 */
export async function readCosts(
  ctx: Ctx,
  { accountId, fromMs, beforeMs }: { accountId: string; fromMs: number; beforeMs: number },
  take: (row: CostRow) => void,
): Promise<void> {
  let position = { fromMs: fromMs - SENT_AFTER_MS, after: 0 }
  await inSlices(ctx, () => {
    const rows = costsOfNumber(ctx.db).all({
      organizationId: ctx.organizationId,
      accountId,
      beforeMs: beforeMs + SENT_BEFORE_MS,
      ...position,
    })
    for (const row of rows) {
      const atMs = row.sentAtMs ?? row.createdAtMs
      if (row.costMonth !== null && atMs >= fromMs && atMs < beforeMs) take(row)
    }
    const last = rows.at(-1)
    if (last) position = { fromMs: last.createdAtMs, after: last.row }
    return rows.length < READ_AT_ONCE
  })
}
