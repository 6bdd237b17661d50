import { and, between, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { uuidPlaceholder } from '../../../infra/db/uuid'
import { isCurrent } from '../rollups/current'
import { botSessionCounts } from './table'

/** The sessions that a report is about. The end of the span is not included. */
export interface SessionFilter {
  fromMs: number
  beforeMs: number
  accountId?: string | undefined
  flowId?: string | undefined
}

/** Sums of sessions. Times are milliseconds. */
export interface SessionSums {
  sessions: number
  completed: number
  autoResolved: number
  transferred: number
  abandoned: number
  messages: number
  resolutionMs: number
}

const sumOf = (column: SQLiteColumn) => sql<number>`coalesce(sum(${column}), 0)`

const sums = {
  sessions: sumOf(botSessionCounts.sessions),
  completed: sumOf(botSessionCounts.completed),
  autoResolved: sumOf(botSessionCounts.autoResolved),
  transferred: sumOf(botSessionCounts.transferred),
  abandoned: sumOf(botSessionCounts.abandoned),
  messages: sumOf(botSessionCounts.messages),
  resolutionMs: sumOf(botSessionCounts.resolutionMs),
}

const isOrAny = (column: SQLiteColumn, name: string): SQL =>
  sql`(${uuidPlaceholder(name)} is null or ${column} = ${uuidPlaceholder(name)})`

const filtered = (): SQL =>
  inOrganization(
    anyScope,
    botSessionCounts,
    and(
      isCurrent(anyScope, botSessionCounts),
      between(botSessionCounts.atMs, sql.placeholder('fromMs'), sql.placeholder('lastMs')),
      isOrAny(botSessionCounts.accountId, 'accountId'),
      isOrAny(botSessionCounts.flowId, 'flowId'),
    ),
  )

const valuesOf = (
  { organizationId }: Pick<Ctx, 'organizationId'>,
  { fromMs, beforeMs, accountId = null, flowId = null }: Nullable<SessionFilter>,
) => ({ organizationId, fromMs, lastMs: beforeMs - 1, accountId, flowId })

type Nullable<T> = { [K in keyof T]: T[K] | (undefined extends T[K] ? null : never) }

const allSums = compiled((orm) =>
  orm.select(sums).from(botSessionCounts).where(filtered()).prepare(),
)

/** Returns the sums of the sessions that began in a span, erased ones included. */
export const sessionSums = (ctx: Ctx, filter: SessionFilter): SessionSums =>
  allSums(ctx.db).get(valuesOf(ctx, filter)) ?? NO_SESSIONS

const NO_SESSIONS: SessionSums = {
  sessions: 0,
  completed: 0,
  autoResolved: 0,
  transferred: 0,
  abandoned: 0,
  messages: 0,
  resolutionMs: 0,
}

const byFlow = compiled((orm) =>
  orm
    .select({ flowId: botSessionCounts.flowId, ...sums })
    .from(botSessionCounts)
    .where(and(filtered(), sql`${botSessionCounts.flowId} <> x''`))
    .groupBy(botSessionCounts.flowId)
    .having(sql`sum(${botSessionCounts.sessions}) > 0`)
    .orderBy(sql`sum(${botSessionCounts.sessions}) desc`, botSessionCounts.flowId)
    .prepare(),
)

/** Returns the sums of sessions by bot flow, most sessions first. */
export const sessionSumsByFlow = (
  ctx: Ctx,
  filter: SessionFilter,
): (SessionSums & { flowId: string })[] => byFlow(ctx.db).all(valuesOf(ctx, filter))

const byNode = compiled((orm) =>
  orm
    .select({
      flowId: botSessionCounts.flowId,
      node: botSessionCounts.node,
      count: sumOf(botSessionCounts.abandoned),
    })
    .from(botSessionCounts)
    .where(and(filtered(), sql`${botSessionCounts.node} <> ''`))
    .groupBy(botSessionCounts.flowId, botSessionCounts.node)
    .having(sql`sum(${botSessionCounts.abandoned}) > 0`)
    .orderBy(sql`sum(${botSessionCounts.abandoned}) desc`, botSessionCounts.node)
    .prepare(),
)

/** Returns where sessions were abandoned, most first. */
export const abandonedByNode = (
  ctx: Ctx,
  filter: SessionFilter,
): { flowId: string; node: string; count: number }[] => byNode(ctx.db).all(valuesOf(ctx, filter))
