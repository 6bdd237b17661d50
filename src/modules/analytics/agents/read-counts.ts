import { and, between, eq, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import type { HistogramBin } from '../../../lib/histogram'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { uuidPlaceholder } from '../../../infra/db/uuid'
import { isCurrent } from '../rollups/current'
import { agentMessageCounts, agentResponseCounts, transferCounts } from './table'

/** A span of time: the first millisecond and the first one after it. */
export interface Span {
  fromMs: number
  beforeMs: number
}

/** Sums of an agent's work, or of several agents. Times are milliseconds. */
export interface WorkSums {
  messages: number
  responses: number
  waitedMs: number
  /** The times waited, in ascending order. */
  bins: HistogramBin[]
  handled: number
  pickedUp: number
  queuedMs: number
  resolutionMs: number
  breached: number
}

const sumOf = (column: SQLiteColumn) => sql<number>`coalesce(sum(${column}), 0)`
const within = (column: SQLiteColumn) =>
  between(column, sql.placeholder('fromMs'), sql.placeholder('lastMs'))

const messagesOf = compiled((orm) =>
  orm
    .select({ messages: sumOf(agentMessageCounts.messages) })
    .from(agentMessageCounts)
    .where(
      inOrganization(
        anyScope,
        agentMessageCounts,
        and(
          isCurrent(anyScope, agentMessageCounts),
          eq(agentMessageCounts.userId, uuidPlaceholder('userId')),
          within(agentMessageCounts.atMs),
        ),
      ),
    )
    .prepare(),
)

const responsesOf = compiled((orm) =>
  orm
    .select({
      bin: agentResponseCounts.bin,
      count: sumOf(agentResponseCounts.responses),
      waitedMs: sumOf(agentResponseCounts.waitedMs),
    })
    .from(agentResponseCounts)
    .where(
      inOrganization(
        anyScope,
        agentResponseCounts,
        and(
          isCurrent(anyScope, agentResponseCounts),
          eq(agentResponseCounts.userId, uuidPlaceholder('userId')),
          within(agentResponseCounts.atMs),
        ),
      ),
    )
    .groupBy(agentResponseCounts.bin)
    .orderBy(agentResponseCounts.bin)
    .prepare(),
)

const transfersOf = compiled((orm) =>
  orm
    .select({
      handled: sumOf(transferCounts.handled),
      pickedUp: sumOf(transferCounts.pickedUp),
      queuedMs: sumOf(transferCounts.queuedMs),
      resolutionMs: sumOf(transferCounts.resolutionMs),
      breached: sumOf(transferCounts.breached),
    })
    .from(transferCounts)
    .where(
      inOrganization(
        anyScope,
        transferCounts,
        and(
          isCurrent(anyScope, transferCounts),
          eq(transferCounts.userId, uuidPlaceholder('userId')),
          within(transferCounts.atMs),
        ),
      ),
    )
    .prepare(),
)

/** Returns the sums of a person's work in a span, erased messages and transfers included. */
export function workOf(ctx: Ctx, userId: string, { fromMs, beforeMs }: Span): WorkSums {
  const { organizationId } = ctx
  const which = { organizationId, userId, fromMs, lastMs: beforeMs - 1 }
  const waits = responsesOf(ctx.db).all(which)
  return {
    messages: messagesOf(ctx.db).get(which)?.messages ?? 0,
    responses: waits.reduce((sum, { count }) => sum + count, 0),
    waitedMs: waits.reduce((sum, { waitedMs }) => sum + waitedMs, 0),
    bins: waits,
    ...(transfersOf(ctx.db).get(which) ?? NO_TRANSFERS),
  }
}

const NO_TRANSFERS = { handled: 0, pickedUp: 0, queuedMs: 0, resolutionMs: 0, breached: 0 }

/** Returns the sums of the work of several people. */
export function workOfAll(all: readonly WorkSums[]): WorkSums {
  const sum = (field: Exclude<keyof WorkSums, 'bins'>): number =>
    all.reduce((total, one) => total + one[field], 0)
  const counts = new Map<number, number>()
  for (const { bins } of all)
    for (const { bin, count } of bins) counts.set(bin, (counts.get(bin) ?? 0) + count)
  return {
    messages: sum('messages'),
    responses: sum('responses'),
    waitedMs: sum('waitedMs'),
    bins: [...counts].map(([bin, count]) => ({ bin, count })).toSorted((a, b) => a.bin - b.bin),
    handled: sum('handled'),
    pickedUp: sum('pickedUp'),
    queuedMs: sum('queuedMs'),
    resolutionMs: sum('resolutionMs'),
    breached: sum('breached'),
  }
}

const breachesIn = compiled((orm) =>
  orm
    .select({ breached: sumOf(transferCounts.breached) })
    .from(transferCounts)
    .where(
      inOrganization(
        anyScope,
        transferCounts,
        and(
          isCurrent(anyScope, transferCounts),
          eq(transferCounts.userId, uuidPlaceholder('nobody')),
          within(transferCounts.atMs),
          sql`(${uuidPlaceholder('accountId')} is null or ${transferCounts.accountId} = ${uuidPlaceholder('sameAccountId')})`,
        ),
      ),
    )
    .prepare(),
)

/** Returns the number of transfers that missed a deadline in a span, of all numbers or of one. */
export const breachesOf = (
  ctx: Ctx,
  { fromMs, beforeMs, accountId = null }: Span & { accountId?: string | null | undefined },
): number =>
  breachesIn(ctx.db).get({
    organizationId: ctx.organizationId,
    nobody: '',
    fromMs,
    lastMs: beforeMs - 1,
    accountId,
    sameAccountId: accountId,
  })?.breached ?? 0
