import { and, eq, lt, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { inSlices } from '../../../../infra/event-loop'
import { accounts } from '../../../channel/accounts/table'
import { messages } from '../../../inbox/messages/table'
import type { ReportRange } from '../report/range'
import type { CostCounts } from './sums'

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
          eq(messages.accountId, place(messages.accountId, 'accountId')),
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

/** The costs of a conversation in one currency; of messages that are not stored without a key. */
export interface ConversationCosts {
  key: string | null
  counts: CostCounts
}

/**
 * Returns the costs of single conversations. They are not counted anywhere, so they are added up
 * from the stored messages of a period, in slices of a few milliseconds. `all` are the costs of the
 * period: what the stored messages do not explain is of messages that were erased.
 */
export async function readConversationCosts(
  ctx: Ctx,
  { range, accountId }: { range: ReportRange; accountId: string | undefined },
  all: readonly CostCounts[],
): Promise<ConversationCosts[]> {
  const found = new Map<string, ConversationCosts>()
  const stored = new Map<string, CostCounts>()
  for (const id of accountId === undefined ? accountsOf(ctx) : [accountId])
    await readCosts(ctx, { ...range, accountId: id }, ({ conversationId, counts }) => {
      const id = `${conversationId} ${counts.currency}`
      const known = found.get(id)
      found.set(id, { key: conversationId, counts: known ? sumOf(known.counts, counts) : counts })
      stored.set(counts.currency, sumOf(stored.get(counts.currency) ?? noCosts(counts), counts))
    })
  const rest = [...Map.groupBy(all, ({ currency }) => currency).values()].map((parts) =>
    parts.reduce((one, other) => sumOf(one, other)),
  )
  return [
    ...found.values(),
    ...rest.map((counts) => ({
      key: null,
      counts: sumOf(counts, stored.get(counts.currency) ?? noCosts(counts), -1),
    })),
  ]
}

const noCosts = ({ currency }: CostCounts): CostCounts => ({
  ...{ currency, billable: 0, free: 0, unpriced: 0, estimated: 0, micros: 0, estimatedMicros: 0 },
})

const sumOf = (one: CostCounts, other: CostCounts, sign: 1 | -1 = 1): CostCounts => ({
  currency: one.currency,
  billable: one.billable + sign * other.billable,
  free: one.free + sign * other.free,
  unpriced: one.unpriced + sign * other.unpriced,
  estimated: one.estimated + sign * other.estimated,
  micros: one.micros + sign * other.micros,
  estimatedMicros: one.estimatedMicros + sign * other.estimatedMicros,
})

/** Returns all phone numbers, deleted ones included. */
const accountsOf = (ctx: Ctx): string[] =>
  ctx.db.orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(inOrganization(ctx, accounts))
    .all()
    .map(({ id }) => id)

/**
 * Reads the messages of a number with a cost that were sent in a period, or, while they wait,
 * created in it. `take` gets each. One that failed costs nothing and is left out.
 */
async function readCosts(
  ctx: Ctx,
  { accountId, fromMs, beforeMs }: { accountId: string; fromMs: number; beforeMs: number },
  take: (row: { conversationId: string; counts: CostCounts }) => void,
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
      const isCounted = row.costMonth !== null && row.costFreeReason !== 'not_delivered'
      if (isCounted && atMs >= fromMs && atMs < beforeMs)
        take({ conversationId: row.conversationId, counts: countsOf(row) })
    }
    const last = rows.at(-1)
    if (last) position = { fromMs: last.createdAtMs, after: last.row }
    return rows.length < READ_AT_ONCE
  })
}

/** Returns the cost of a message as the counts add it up. */
function countsOf({
  costMicros,
  costCurrency,
  costFreeReason,
  isCostEstimate,
}: {
  costMicros: number | null
  costCurrency: string | null
  costFreeReason: string | null
  isCostEstimate: boolean
}): CostCounts {
  const micros = costCurrency === null ? 0 : (costMicros ?? 0)
  return {
    currency: costCurrency ?? '',
    billable: Number(costFreeReason === null && costMicros !== null),
    free: Number(costFreeReason !== null),
    unpriced: Number(costFreeReason === null && costMicros === null),
    estimated: Number(isCostEstimate),
    micros,
    estimatedMicros: isCostEstimate ? micros : 0,
  }
}
