import { and, eq, gte, lt, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx, type Deps } from '../../../../infra/ctx'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import { compiled } from '../../../../infra/db/compiled'
import type { Db } from '../../../../infra/db/connection'
import { beforeCommit, transact, type Tx } from '../../../../infra/db/transact'
import { TransactionLocal } from '../../../../infra/db/transaction-scope'
import { inboundHourlyStats } from '../table'
import type { AnswerTimes } from './answer-times'
import { NOBODY, hourOf } from './hour'
import { type TimeHistogram, addHistograms } from './time-histogram'

/** Counters of one hour. */
export interface HourlyCounts {
  received: number
  duplicates: number
  unrouted: number
  failed: number
}

const KINDS = [
  'received',
  'duplicates',
  'unrouted',
  'failed',
] as const satisfies (keyof HourlyCounts)[]
const add = compiled((orm) => {
  const row = {
    organizationId: sql.placeholder('organizationId'),
    hourMs: sql.placeholder('hourMs'),
    received: sql.placeholder('received'),
    duplicates: sql.placeholder('duplicates'),
    unrouted: sql.placeholder('unrouted'),
    failed: sql.placeholder('failed'),
  }
  return orm
    .insert(inboundHourlyStats)
    .values(row)
    .onConflictDoUpdate({
      target: [inboundHourlyStats.organizationId, inboundHourlyStats.hourMs],
      set: {
        received: sql`${inboundHourlyStats.received} + excluded.received`,
        duplicates: sql`${inboundHourlyStats.duplicates} + excluded.duplicates`,
        unrouted: sql`${inboundHourlyStats.unrouted} + excluded.unrouted`,
        failed: sql`${inboundHourlyStats.failed} + excluded.failed`,
      },
      setWhere: eq(inboundHourlyStats.organizationId, sql`excluded.organization_id`),
    })
    .prepare()
})

/** Counters of an organization in one hour. */
type HourCounts = HourlyCounts & { organizationId: string; hourMs: number }

/**
 * Pending counts of each open transaction, by organization and hour. Written once per transaction,
 * because a write per delivery is expensive.
 */
const counting = new TransactionLocal(() => new Map<string, HourCounts>())

/**
 * Adds to the counters of the hour in which changes were received, for their organization or as
 * unrouted. Written at the end of the caller's transaction.
 */
export function countIn(
  tx: Tx,
  deps: Pick<Deps, 'db'>,
  what: { organizationId: string | null; receivedAtMs: number } & Partial<HourlyCounts>,
): void {
  const at = { organizationId: what.organizationId ?? NOBODY, hourMs: hourOf(what.receivedAtMs) }
  const sums = counting.of(tx)
  if (sums.size === 0) beforeCommit(tx, () => writeCounts(tx, deps.db))
  const key = `${at.organizationId} ${at.hourMs}`
  const sum = sums.get(key) ?? { ...at, received: 0, duplicates: 0, unrouted: 0, failed: 0 }
  for (const kind of KINDS) sum[kind] += what[kind] ?? 0
  sums.set(key, sum)
}

/**
 * Adds to the unrouted changes of the hour, or takes from them. Those with a reason are not counted: another
 * cell passed them on.
 */
export const countUnroutedIn = (
  tx: Tx,
  deps: Pick<Deps, 'db'>,
  row: { organizationId: string | null; receivedAtMs: number; reason: string | null },
  unrouted: 1 | -1,
): void => {
  if (row.reason === null)
    countIn(tx, deps, {
      organizationId: row.organizationId,
      receivedAtMs: row.receivedAtMs,
      unrouted,
    })
}

function writeCounts(tx: Tx, db: Db): void {
  for (const row of counting.of(tx).values()) add(db).run({ ...row })
  counting.delete(tx)
}

declare module '../../../../infra/ctx' {
  interface Deps {
    /** Collected response times of webhook requests. */
    answerTimes: AnswerTimes
  }
}

/** Counters of one hour as the API shows them. */
export type Hour = HourlyCounts & { hourMs: number; acknowledgements: TimeHistogram }

/**
 * Returns the hours that start in a period, oldest first. For a super admin, sums all organizations
 * and unrouted changes.
 */
export function hoursWithin(ctx: Ctx, span: { fromMs: number; toMs: number }): Hour[] {
  const within = and(
    gte(inboundHourlyStats.hourMs, hourOf(span.fromMs)),
    lt(inboundHourlyStats.hourMs, span.toMs),
  )
  const rows = ctx.db.orm
    .select()
    .from(inboundHourlyStats)
    .where(ctx.actor.isSuperAdmin ? within : inOrganization(ctx, inboundHourlyStats, within))
    .orderBy(inboundHourlyStats.hourMs)
    .all()
  const hours = new Map<number, Hour>()
  for (const row of rows) {
    const sum = hours.get(row.hourMs) ?? nothingIn(row.hourMs)
    hours.set(
      row.hourMs,
      mergeHours(sum, {
        ...row,
        acknowledgements: JSON.parse(row.acknowledgements) as TimeHistogram,
      }),
    )
  }
  for (const { organizationId, hourMs, took } of ctx.answerTimes.waiting) {
    const sum = hours.get(hourMs)
    if (sum && (ctx.actor.isSuperAdmin || organizationId === ctx.organizationId))
      hours.set(hourMs, mergeHours(sum, { ...nothingIn(hourMs), acknowledgements: took }))
  }
  return [...hours.values()]
}

const nothingIn = (hourMs: number): Hour => ({
  hourMs,
  received: 0,
  duplicates: 0,
  unrouted: 0,
  failed: 0,
  acknowledgements: {},
})

/** Returns the sum of two hours. */
export const mergeHours = (a: Hour, b: Hour): Hour => ({
  hourMs: a.hourMs,
  received: a.received + b.received,
  duplicates: a.duplicates + b.duplicates,
  unrouted: a.unrouted + b.unrouted,
  failed: a.failed + b.failed,
  acknowledgements: addHistograms(a.acknowledgements, b.acknowledgements),
})
const KEPT_MS = 90 * DAY_MS

/** Deletes counters older than 90 days. Returns the number of deleted rows. */
export function pruneHours(deps: Deps): number {
  return transact(
    deps.db,
    (tx) =>
      tx
        .delete(inboundHourlyStats)
        .where(
          inWorkingOrganizations(
            'old figures are pruned for all organizations at once',
            inboundHourlyStats,
            lt(inboundHourlyStats.hourMs, deps.clock.nowMs() - KEPT_MS),
          ),
        )
        .returning({ hourMs: inboundHourlyStats.hourMs })
        .all().length,
  )
}
