import { isNotNull, sql } from 'drizzle-orm'

import type { Ctx } from '../ctx'
import { compiled, place } from '../db/compiled'
import type { Tx } from '../db/transact'
import { PRIORITIES, type Job, type Priority } from './job'
import { jobs } from './table'

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
        select 1 from jobs other where other.ordering_key = ${place(jobs.orderingKey, 'orderingKey')} and other.ordering_key is not null
          and other.gate_key = ${place(jobs.gateKey, 'gateKey')}
          and other.state in ('scheduled', 'available', 'executing', 'retryable') and other.state in ('available', 'executing'))`,
      uniqueKey: sql.placeholder('uniqueKey'),
      maxAttempts: sql.placeholder('maxAttempts'),
      scheduledAtMs: sql.placeholder('scheduledAtMs'),
      createdAtMs: sql.placeholder('createdAtMs'),
    })
    .onConflictDoUpdate({
      target: jobs.uniqueKey,
      targetWhere: isNotNull(jobs.uniqueKey),
      set: { uniqueKey: sql`${jobs.uniqueKey}` },
      setWhere: sql`false`, // so it does nothing: Drizzle's `do nothing` allows no condition of a target
    })
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
