import { and, between, eq, inArray, sql, type SQL } from 'drizzle-orm'

import type { Ctx } from '../ctx'
import { compiled } from '../db/compiled'
import type { Db } from '../db/connection'
import type { Tx } from '../db/transact'
import { PRIORITIES, type Job, type Priority, type Queue } from './job'
import { jobs } from './table'
import { atMost, place } from '../db/place'

/** What to run and when; without `runAtMs` as soon as a worker is free. */
export interface NewJob<A> {
  args: A
  runAtMs?: number
  /**
   * Jobs with the same key run one after the other, in the order they were written; behind
   * different gates each by itself.
   */
  serialKey?: string
  /** The gate of the queue it waits at. */
  gateKey?: string
  /**
   * Which of the organization's jobs behind the gate goes first; that of the definition unless
   * said. A serial key keeps its order all the same.
   */
  priority?: Priority
  /**
   * A second job with the same key is not enqueued, also after the first one ended (until it is
   * pruned).
   */
  uniqueKey?: string
}

const insertJob = compiled((orm) =>
  orm
    .insert(jobs)
    .values({
      id: sql.placeholder('id'),
      kind: sql.placeholder('kind'),
      queue: sql.placeholder('queue'),
      state: sql.placeholder('state'),
      organizationId: sql.placeholder('organizationId'),
      args: sql.placeholder('args'),
      serialKey: sql.placeholder('serialKey'),
      gateKey: sql.placeholder('gateKey'),
      priority: sql.placeholder('priority'),
      // Behind one that waits or runs it need not be looked at until that one has moved.
      isBehind: sql`${sql.placeholder('serialKey')} is not null and ${sql.placeholder('state')} = 'available' and exists (
        select 1 from jobs other where other.serial_key = ${sql.placeholder('serialKey')} and other.serial_key is not null
          and other.gate_key = ${sql.placeholder('gateKey')}
          and other.state in ('scheduled', 'available', 'executing', 'retryable') and other.state in ('available', 'executing'))`,
      uniqueKey: sql.placeholder('uniqueKey'),
      maxAttempts: sql.placeholder('maxAttempts'),
      scheduledAtMs: sql.placeholder('scheduledAtMs'),
      createdAtMs: sql.placeholder('createdAtMs'),
    })
    .onConflictDoNothing()
    .prepare(),
)

/**
 * Writes a job in the transaction of the change that asks for it: both are committed or neither.
 * Throws when the arguments are of another shape.
 */
export function enqueue<A>(tx: Tx, ctx: Ctx, job: Job<A>, what: NewJob<NoInfer<A>>): string {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  if (!job.fits(what.args))
    throw new TypeError(`job ${job.name} was given arguments of another shape`)
  const nowMs = ctx.clock.nowMs()
  const scheduledAtMs = what.runAtMs ?? nowMs
  const id = ctx.ids.next()
  insertJob(ctx.db).run({
    id,
    kind: job.name,
    queue: job.queue,
    state: scheduledAtMs > nowMs ? 'scheduled' : 'available',
    organizationId: ctx.organizationId,
    args: JSON.stringify(what.args),
    serialKey: what.serialKey ?? null,
    gateKey: what.gateKey ?? '',
    priority: PRIORITIES[what.priority ?? job.priority],
    uniqueKey: what.uniqueKey ?? null,
    maxAttempts: job.maxAttempts,
    scheduledAtMs,
    createdAtMs: nowMs,
  })
  return id
}

/**
 * Jobs of the organization: of one kind, with one of these serial keys, or of these the one with
 * `args`.
 */
interface Chosen {
  kind: string
  serialKeys: string[]
  args?: unknown
}

const chosen = (ctx: Ctx, which: Chosen): SQL | undefined =>
  and(
    eq(jobs.organizationId, ctx.organizationId),
    eq(jobs.kind, which.kind),
    inArray(jobs.serialKey, which.serialKeys),
    which.args === undefined ? undefined : eq(jobs.args, JSON.stringify(which.args)),
  )

/**
 * Lets waiting jobs of the organization run now: those of one kind whose serial key is given, or of
 * these the one with `args`. One that runs at the moment may have looked before there was news, so
 * it does not wait when it comes back: it is due after it began (`isHurried`).
 */
export function expedite(tx: Tx, ctx: Ctx, which: Chosen): void {
  if (which.serialKeys.length === 0) return
  const nowMs = ctx.clock.nowMs()
  tx.update(jobs)
    .set({
      scheduledAtMs: sql`case ${jobs.state} when 'executing' then max(${nowMs}, ${jobs.attemptedAtMs} + 1) else ${nowMs} end`,
    })
    .where(
      and(
        chosen(ctx, which),
        // All live states: those of the index by key.
        sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable') and ${jobs.state} <> 'available'`,
      ),
    )
    .run()
}

/** Lets jobs of one kind run now, whosever they are, that snooze for no longer than `longestMs`. */
export function wakeSleepingJobs(
  tx: Tx,
  deps: Pick<Ctx, 'clock'>,
  which: { kind: string; longestMs: number },
): void {
  const nowMs = deps.clock.nowMs()
  tx.update(jobs)
    .set({ scheduledAtMs: nowMs })
    .where(
      and(
        sql`${jobs.state} in ('scheduled', 'retryable')`,
        between(jobs.scheduledAtMs, nowMs + 1, nowMs + which.longestMs),
        eq(jobs.kind, which.kind),
        eq(jobs.state, 'scheduled'),
      ),
    )
    .run()
}

/**
 * Lets waiting jobs of the organization keep order by another key, all of them or those whose
 * arguments are meant, in the caller's transaction; among those that have it already they stand by
 * age.
 */
export function rekeyJobsIn(
  tx: Tx,
  ctx: Ctx,
  move: { from: string; to: string; isMeant?: (args: unknown) => boolean },
): void {
  const { from, to, isMeant = () => true } = move
  const waiting = tx
    .select({ id: jobs.id, args: jobs.args })
    .from(jobs)
    .where(
      and(
        eq(jobs.organizationId, ctx.organizationId),
        eq(jobs.serialKey, from),
        // All live states: those of the index by key.
        sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable') and ${jobs.state} <> 'executing'`,
      ),
    )
    .all()
  const ids = waiting.filter(({ args }) => isMeant(JSON.parse(args))).map(({ id }) => id)
  tx.update(jobs)
    .set({ serialKey: to })
    .where(sql`${jobs.id} in (select value from json_each(${JSON.stringify(ids)}))`)
    .run()
  // Who stood behind whom is found out anew.
  tx.update(jobs)
    .set({ isBehind: false })
    .where(and(inArray(jobs.serialKey, [move.from, to]), sql`${jobs.isBehind} = 1`))
    .run()
}

/**
 * Ends a job that waits and is not wanted any more, because a person called it off (`cancelled`) or
 * for a reason that is to be seen.
 */
export function endWaiting(
  tx: Tx,
  ctx: Ctx,
  which: Chosen,
  end: { state: 'cancelled' | 'discarded'; reason: string },
): void {
  const nowMs = ctx.clock.nowMs()
  const entry = JSON.stringify({ attempt: 0, at_ms: nowMs, message: end.reason })
  tx.update(jobs)
    .set({
      state: end.state,
      finishedAtMs: nowMs,
      errors: sql`json_insert(${jobs.errors}, '$[#]', json(${entry}))`,
    })
    .where(and(chosen(ctx, which), sql`${jobs.state} in ('scheduled', 'available', 'retryable')`))
    .run()
}

const isAnyOf = (ctx: Ctx, which: Chosen, state: SQL): boolean =>
  ctx.db.orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(chosen(ctx, which), state))
    .limit(1)
    .get() !== undefined

/** Whether such a job waits or runs. */
export const hasLiveJob = (ctx: Ctx, which: Chosen): boolean =>
  isAnyOf(ctx, which, sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`)

/** Whether such a job that was written before another one waits or runs. */
export const hasEarlierJob = (ctx: Ctx, which: Chosen, jobId: string): boolean =>
  isAnyOf(
    ctx,
    which,
    sql`${jobs.id} < ${jobId} and ${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`,
  )

/** Whether such a job runs at this moment. */
export const isUnderWay = (ctx: Ctx, which: Chosen): boolean =>
  isAnyOf(ctx, which, sql`${jobs.state} = 'executing'`)

const availableAt = compiled((orm) =>
  orm
    .select({ jobs: sql<number>`count(*)` })
    .from(
      orm
        .select({ id: jobs.id })
        .from(jobs)
        .where(
          and(
            eq(jobs.queue, place('queue')),
            sql`${jobs.state} = 'available' and ${jobs.isBehind} = 0`,
            eq(jobs.organizationId, place('organizationId')),
            eq(jobs.gateKey, place('gateKey')),
          ),
        )
        .limit(place('most'))
        .as('waiting'),
    )
    .prepare(),
)

/** How many jobs wait at a gate, counted no further than `most`. */
export const countAvailable = (
  db: Db,
  at: { queue: Queue; organizationId: string; gateKey: string; most: number },
): number => availableAt(db).get({ ...at })?.jobs ?? 0

const waitsInQueue = compiled((orm) =>
  orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, place('queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBehind} = 0`,
        eq(jobs.organizationId, place('organizationId')),
      ),
    )
    .limit(atMost(1))
    .prepare(),
)

const livesWithKey = compiled((orm) =>
  orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        eq(jobs.serialKey, place('serialKey')),
        sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`,
      ),
    )
    .limit(atMost(1))
    .prepare(),
)

/**
 * Whether a job of the organization that is enqueued now would be the next one of its queue and of
 * its serial key: nothing older waits there.
 */
export const isQueueFree = (
  ctx: Ctx,
  { queue, serialKey }: { queue: Queue; serialKey: string | null },
): boolean =>
  !waitsInQueue(ctx.db).get({ queue, organizationId: ctx.organizationId }) &&
  (serialKey === null || !livesWithKey(ctx.db).get({ serialKey }))
