import { eq, gt, inArray, isNotNull, lt, sql, type SQL } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { accounts } from '../../../channel/accounts/table'
import { messages } from '../../../inbox/messages/table'
import type { ReportRange } from '../report/range'
import type { CostCounts } from './sums'

/**
 * The longest time between the creation of a message and its sending, and how far the platform's
 * clock may be behind. Messages are found by their creation.
 */
const SENT_AFTER_MS = 7 * DAY_MS
const SENT_BEFORE_MS = DAY_MS

/** The costs of a conversation in one currency; of messages that are not stored without a key. */
export interface ConversationCosts {
  key: string | null
  counts: CostCounts
}

/**
 * Returns the costs of single conversations. They are not counted anywhere, so they are added up
 * from the stored messages of a period. `all` are the costs of the period: what the stored messages
 * do not explain is of messages that were erased.
 */
export function readConversationCosts(
  ctx: ReadCtx,
  at: { range: ReportRange; accountId: string | undefined },
  all: readonly CostCounts[],
): ConversationCosts[] {
  const found = costsByConversation(ctx, at)
  const rest = new Map<string, CostCounts>()
  const add = (counts: CostCounts, sign: 1 | -1): void => {
    rest.set(counts.currency, sumOf(rest.get(counts.currency) ?? noCosts(counts), counts, sign))
  }
  for (const counts of all) add(counts, 1)
  for (const { counts } of found) if (rest.has(counts.currency)) add(counts, -1)
  return [...found, ...[...rest.values()].map((counts) => ({ key: null, counts }))]
}

const noCosts = ({ currency }: CostCounts): CostCounts => ({
  ...{ currency, billable: 0, free: 0, unpriced: 0, estimated: 0, micros: 0, estimatedMicros: 0 },
})

const sumOf = (one: CostCounts, other: CostCounts, sign: 1 | -1): CostCounts => ({
  currency: one.currency,
  billable: one.billable + sign * other.billable,
  free: one.free + sign * other.free,
  unpriced: one.unpriced + sign * other.unpriced,
  estimated: one.estimated + sign * other.estimated,
  micros: one.micros + sign * other.micros,
  estimatedMicros: one.estimatedMicros + sign * other.estimatedMicros,
})

/**
 * Adds up the costs of messages that were sent in a period, or, while they wait, created in it. One
 * that failed costs nothing and is left out.
 */
function costsByConversation(
  ctx: ReadCtx,
  { range, accountId }: { range: ReportRange; accountId: string | undefined },
): ConversationCosts[] {
  const { costMicros, costCurrency, costFreeReason, isCostEstimate } = messages
  const atMs = sql`coalesce(${messages.sentAtMs}, ${messages.createdAtMs})`
  const micros = sql`iif(${costCurrency} is null, 0, coalesce(${costMicros}, 0))`
  const sum = (value: SQL): SQL<number> => sql<number>`sum(${value})`
  const numbers = ctx.db.orm
    .select({ id: accounts.id })
    .from(accounts) // deleted ones included
    .where(inOrganization(ctx, accounts, accountId ? eq(accounts.id, accountId) : undefined))
  return ctx.db.orm
    .select({
      key: messages.conversationId,
      counts: {
        currency: sql<string>`coalesce(${costCurrency}, '')`,
        billable: sum(sql`${costFreeReason} is null and ${costMicros} is not null`),
        free: sum(sql`${costFreeReason} is not null`),
        unpriced: sum(sql`${costFreeReason} is null and ${costMicros} is null`),
        estimated: sum(sql`${isCostEstimate}`),
        micros: sum(micros),
        estimatedMicros: sum(sql`iif(${isCostEstimate}, ${micros}, 0)`),
      },
    })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        inArray(messages.accountId, numbers),
        sql`${messages.direction} = 'outgoing'`, // the text matches the partial index
        gt(messages.createdAtMs, range.fromMs - SENT_AFTER_MS),
        lt(messages.createdAtMs, range.beforeMs + SENT_BEFORE_MS),
        isNotNull(messages.costMonth),
        sql`${costFreeReason} is not 'not_delivered'`,
        sql`${atMs} >= ${range.fromMs} and ${atMs} < ${range.beforeMs}`,
      ),
    )
    .groupBy(messages.conversationId, costCurrency)
    .all()
}
