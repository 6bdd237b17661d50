import { and, between, eq, inArray, sql, type SQL } from 'drizzle-orm'

import type { Ctx } from '../ctx'
import { compiled } from '../db/compiled'
import type { Db } from '../db/connection'
import type { Tx } from '../db/transact'
import { PRIORITIES, type Job, type Priority, type Queue } from './job'
import { jobs } from './table'
import { fixedLimit, opaqueParam } from '../db/opaque-param'
import { opaqueUuid, uuidValue, uuidsIn } from '../db/uuid'

/** Arguments and options of a new job. Without `runAtMs` it runs as soon as a worker is free. */
export interface NewJob<A> {
  args: A
  runAtMs?: number
  /** Jobs with the same key and gate run one after the other, in the order they were enqueued. */
  orderingKey?: string
  /** Key of the gate that admits the job. */
  gateKey?: string
  /**
   * Priority among the organization's jobs behind the same gate. Defaults to the job's declared
   * priority. Jobs with the same ordering key keep their order.
   */
  priority?: Priority
  /**
   * A second job with the same key is ignored, even after the first one ended (until it is pruned).
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
      orderingKey: sql.placeholder('orderingKey'),
      gateKey: sql.placeholder('gateKey'),
      priority: sql.placeholder('priority'),
      // A job behind an available or executing one is not examined until that one has moved.
      isBlocked: sql`${sql.placeholder('orderingKey')} is not null and ${sql.placeholder('state')} = 'available' and exists (
        select 1 from jobs other where other.ordering_key = ${sql.placeholder('orderingKey')} and other.ordering_key is not null
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
 * Enqueues a job in the caller's transaction: both are committed or neither. Returns the job ID.
 * Throws TypeError if the arguments do not match the declaration.
 */
export function enqueue<A>(tx: Tx, ctx: Ctx, job: Job<A>, options: NewJob<NoInfer<A>>): string {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  if (!job.fits(options.args))
    throw new TypeError(`job ${job.name} was given arguments of another shape`)
  const nowMs = ctx.clock.nowMs()
  const scheduledAtMs = options.runAtMs ?? nowMs
  const id = ctx.ids.next()
  insertJob(ctx.db).run({
    id,
    kind: job.name,
    queue: job.queue,
    state: scheduledAtMs > nowMs ? 'scheduled' : 'available',
    organizationId: ctx.organizationId,
    args: JSON.stringify(options.args),
    orderingKey: options.orderingKey ?? null,
    gateKey: options.gateKey ?? '',
    priority: PRIORITIES[options.priority ?? job.priority],
    uniqueKey: options.uniqueKey ?? null,
    maxAttempts: job.maxAttempts,
    scheduledAtMs,
    createdAtMs: nowMs,
  })
  return id
}

/** Selects jobs of the organization by kind and ordering key, and optionally by their arguments. */
interface JobSelector {
  kind: string
  orderingKeys: string[]
  args?: unknown
}

const selectedBy = (ctx: Ctx, which: JobSelector): SQL | undefined =>
  and(
    eq(jobs.organizationId, ctx.organizationId),
    eq(jobs.kind, which.kind),
    inArray(jobs.orderingKey, which.orderingKeys),
    which.args === undefined ? undefined : eq(jobs.args, JSON.stringify(which.args)),
  )

/**
 * Makes waiting jobs of the organization due now. A job that is running may have read its data
 * before this change, so it is due again immediately if it snoozes (`isHurried`).
 */
export function expedite(tx: Tx, ctx: Ctx, which: JobSelector): void {
  if (which.orderingKeys.length === 0) return
  const nowMs = ctx.clock.nowMs()
  tx.update(jobs)
    .set({
      scheduledAtMs: sql`case ${jobs.state} when 'executing' then max(${nowMs}, ${jobs.attemptedAtMs} + 1) else ${nowMs} end`,
    })
    .where(
      and(
        selectedBy(ctx, which),
        // All live states: those of the index by key.
        sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable') and ${jobs.state} <> 'available'`,
      ),
    )
    .run()
}

/**
 * Makes snoozing jobs of one kind due now, in all organizations, if they are due within
 * `longestMs`.
 */
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
 * Moves waiting jobs of the organization to another ordering key, in the caller's transaction.
 * `isMeant` selects jobs by their arguments and defaults to all. They are ordered by age among the
 * jobs that already have the key.
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
        eq(jobs.orderingKey, from),
        // All live states: those of the index by key.
        sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable') and ${jobs.state} <> 'executing'`,
      ),
    )
    .all()
  const ids = waiting.filter(({ args }) => isMeant(JSON.parse(args))).map(({ id }) => id)
  tx.update(jobs)
    .set({ orderingKey: to })
    .where(sql`${jobs.id} in ${uuidsIn(JSON.stringify(ids))}`)
    .run()
  // Which job is blocked by which is determined again.
  tx.update(jobs)
    .set({ isBlocked: false })
    .where(and(inArray(jobs.orderingKey, [move.from, to]), sql`${jobs.isBlocked} = 1`))
    .run()
}

/** Ends waiting jobs: `cancelled` when a user canceled them, `discarded` with a visible reason. */
export function endWaitingJobs(
  tx: Tx,
  ctx: Ctx,
  which: JobSelector,
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
    .where(
      and(selectedBy(ctx, which), sql`${jobs.state} in ('scheduled', 'available', 'retryable')`),
    )
    .run()
}

const isAnyOf = (ctx: Ctx, which: JobSelector, state: SQL): boolean =>
  ctx.db.orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(selectedBy(ctx, which), state))
    .limit(1)
    .get() !== undefined

/** Whether a matching job is waiting or running. */
export const hasLiveJob = (ctx: Ctx, which: JobSelector): boolean =>
  isAnyOf(ctx, which, sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`)

/** Whether a matching job that was enqueued before another one is waiting or running. */
export const hasEarlierJob = (ctx: Ctx, which: JobSelector, jobId: string): boolean =>
  isAnyOf(
    ctx,
    which,
    sql`${jobs.id} < ${uuidValue(jobId)} and ${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`,
  )

/** Whether a matching job is running. */
export const isUnderWay = (ctx: Ctx, which: JobSelector): boolean =>
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
            eq(jobs.queue, opaqueParam('queue')),
            sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
            eq(jobs.organizationId, opaqueUuid('organizationId')),
            eq(jobs.gateKey, opaqueParam('gateKey')),
          ),
        )
        .limit(opaqueParam('most'))
        .as('waiting'),
    )
    .prepare(),
)

/** Counts the available jobs of a gate, up to `most`. */
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
        eq(jobs.queue, opaqueParam('queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
        eq(jobs.organizationId, opaqueUuid('organizationId')),
      ),
    )
    .limit(fixedLimit(1))
    .prepare(),
)

const livesWithKey = compiled((orm) =>
  orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        eq(jobs.orderingKey, opaqueParam('orderingKey')),
        sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`,
      ),
    )
    .limit(fixedLimit(1))
    .prepare(),
)

/**
 * Whether a job enqueued now would be the next one of its organization's queue and of its ordering
 * key.
 */
export const isQueueFree = (
  ctx: Ctx,
  { queue, orderingKey }: { queue: Queue; orderingKey: string | null },
): boolean =>
  !waitsInQueue(ctx.db).get({ queue, organizationId: ctx.organizationId }) &&
  (orderingKey === null || !livesWithKey(ctx.db).get({ orderingKey }))
