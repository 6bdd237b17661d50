import { and, eq, gte, lt, sql } from 'drizzle-orm'

import { DAY_MS, HOUR_MS } from '../../../lib/clock'
import {
  acrossOrganizations,
  anyScope,
  inOrganization,
  type Ctx,
  type Deps,
} from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { Db } from '../../../infra/db/connection'
import { beforeCommit, transact, type Tx } from '../../../infra/db/transact'
import { TransactionLocal } from '../../../infra/db/transaction-scope'
import { inboundHourlyStats } from '../table'

/** Counters of one hour. */
export interface Counts {
  received: number
  duplicates: number
  unrouted: number
  failed: number
}

const KINDS = ['received', 'duplicates', 'unrouted', 'failed'] as const satisfies (keyof Counts)[]

/** Stored as the organization of unrouted changes. */
const NOBODY = ''

/** Upper bounds of the response time buckets, milliseconds. */
const BOUNDS_MS = [
  1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1_000,
  2_000, 5_000, 10_000, 60_000,
]

/** Number of responses per bucket, by upper bound in milliseconds. */
type Acknowledgements = Record<string, number>

const hourOf = (atMs: number): number => atMs - (atMs % HOUR_MS)

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
type HourCounts = Counts & { organizationId: string; hourMs: number }

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
  what: { organizationId: string | null; receivedAtMs: number } & Partial<Counts>,
): void {
  const at = { organizationId: what.organizationId ?? NOBODY, hourMs: hourOf(what.receivedAtMs) }
  const sums = counting.of(tx)
  if (sums.size === 0) beforeCommit(tx, () => writeCounts(tx, deps.db))
  const key = `${at.organizationId} ${at.hourMs}`
  const sum = sums.get(key) ?? { ...at, received: 0, duplicates: 0, unrouted: 0, failed: 0 }
  for (const kind of KINDS) sum[kind] += what[kind] ?? 0
  sums.set(key, sum)
}

function writeCounts(tx: Tx, db: Db): void {
  for (const row of counting.of(tx).values()) add(db).run({ ...row })
  counting.delete(tx)
}

/**
 * Response times collected in memory and written with the next deliveries, because a write per
 * response is expensive. A crash loses some of these figures but no deliveries.
 */
export class AnswerTimes {
  private unsaved = new Map<
    string,
    { organizationId: string; hourMs: number; took: Acknowledgements }
  >()

  /** Counts a response for each organization the delivery concerns. */
  note(organizations: Iterable<string | null>, receivedAtMs: number, tookMs: number): void {
    const bound = String(BOUNDS_MS.find((most) => tookMs <= most) ?? BOUNDS_MS.at(-1))
    for (const organization of organizations) {
      const organizationId = organization ?? NOBODY
      const key = `${organizationId} ${hourOf(receivedAtMs)}`
      const entry = this.unsaved.get(key) ?? {
        organizationId,
        hourMs: hourOf(receivedAtMs),
        took: {},
      }
      entry.took[bound] = (entry.took[bound] ?? 0) + 1
      this.unsaved.set(key, entry)
    }
  }

  /** Counts that are not written yet. */
  get waiting(): Iterable<{ organizationId: string; hourMs: number; took: Acknowledgements }> {
    return this.unsaved.values()
  }

  /** Writes the collected counts, in the caller's transaction. Call `forget` after the commit. */
  saveIn(tx: Tx, db: Db): void {
    for (const at of this.unsaved.values()) addTimesIn(tx, db, at)
  }

  /** Clears the written counts. */
  forget(): void {
    this.unsaved = new Map()
  }
}

declare module '../../../infra/ctx' {
  interface Deps {
    /** Collected response times of webhook requests. */
    answerTimes: AnswerTimes
  }
}

const timesOf = compiled((orm) =>
  orm
    .select({ acknowledgements: inboundHourlyStats.acknowledgements })
    .from(inboundHourlyStats)
    .where(
      inOrganization(
        anyScope,
        inboundHourlyStats,
        eq(inboundHourlyStats.hourMs, sql.placeholder('hourMs')),
      ),
    )
    .prepare(),
)

const writeTimes = compiled((orm) =>
  orm
    .insert(inboundHourlyStats)
    .values({
      organizationId: sql.placeholder('organizationId'),
      hourMs: sql.placeholder('hourMs'),
      acknowledgements: sql.placeholder('acknowledgements'),
    })
    .onConflictDoUpdate({
      target: [inboundHourlyStats.organizationId, inboundHourlyStats.hourMs],
      set: { acknowledgements: sql`excluded.acknowledgements` },
      setWhere: eq(inboundHourlyStats.organizationId, sql`excluded.organization_id`),
    })
    .prepare(),
)

function addTimesIn(
  tx: Tx,
  db: Db,
  at: { organizationId: string; hourMs: number; took: Acknowledgements },
): void {
  void tx // one connection: the compiled statements run inside the transaction that `tx` proves to be open
  const known = timesOf(db).get(at)
  const sum = added(known ? (JSON.parse(known.acknowledgements) as Acknowledgements) : {}, at.took)
  writeTimes(db).run({ ...at, acknowledgements: JSON.stringify(sum) })
}

const added = (a: Acknowledgements, b: Acknowledgements): Acknowledgements =>
  Object.fromEntries(
    Object.keys({ ...a, ...b }).map((bound) => [bound, (a[bound] ?? 0) + (b[bound] ?? 0)]),
  )

/** Counters of one hour as the API shows them. */
export type Hour = Counts & { hourMs: number; acknowledgements: Acknowledgements }

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
      together(sum, {
        ...row,
        acknowledgements: JSON.parse(row.acknowledgements) as Acknowledgements,
      }),
    )
  }
  for (const { organizationId, hourMs, took } of ctx.answerTimes.waiting) {
    const sum = hours.get(hourMs)
    if (sum && (ctx.actor.isSuperAdmin || organizationId === ctx.organizationId))
      hours.set(hourMs, together(sum, { ...nothingIn(hourMs), acknowledgements: took }))
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
export const together = (a: Hour, b: Hour): Hour => ({
  hourMs: a.hourMs,
  received: a.received + b.received,
  duplicates: a.duplicates + b.duplicates,
  unrouted: a.unrouted + b.unrouted,
  failed: a.failed + b.failed,
  acknowledgements: added(a.acknowledgements, b.acknowledgements),
})

/**
 * Returns the response time within which a share of the responses was sent, rounded up to a bucket;
 * `null` without responses.
 */
export function percentileMs(acknowledgements: Acknowledgements, share: number): number | null {
  const counted = Object.entries(acknowledgements)
    .map(([bound, answers]) => ({ boundMs: Number(bound), answers }))
    .toSorted((a, b) => a.boundMs - b.boundMs)
  const total = counted.reduce((sum, { answers }) => sum + answers, 0)
  let seen = 0
  for (const { boundMs, answers } of counted) {
    seen += answers
    if (seen >= total * share) return boundMs
  }
  return null
}

const KEPT_MS = 90 * DAY_MS

/** Deletes counters older than 90 days. Returns the number of deleted rows. */
export function pruneHours(deps: Deps): number {
  return transact(
    deps.db,
    (tx) =>
      tx
        .delete(inboundHourlyStats)
        .where(
          acrossOrganizations(
            'old figures are pruned for all organizations at once',
            lt(inboundHourlyStats.hourMs, deps.clock.nowMs() - KEPT_MS),
          ),
        )
        .returning({ hourMs: inboundHourlyStats.hourMs })
        .all().length,
  )
}
