import { and, between, eq, gt, inArray, sql, type SQL } from 'drizzle-orm'
import type { Ctx } from '../ctx'
import { compiled, atMost, place, uuidsIn } from '../db/compiled'
import type { Tx } from '../db/transact'
import type { Queue } from './job'
import { jobs } from './table'

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

/** Jobs that `releaseGateIn` releases at a time. */
export const RELEASED_AT_ONCE = 200

/**
 * Makes waiting jobs behind a gate of the organization due now, oldest first. Returns how many; there
 * may be more if it is `RELEASED_AT_ONCE`.
 */
export function releaseGateIn(tx: Tx, ctx: Ctx, gateKey: string): number {
  const nowMs = ctx.clock.nowMs()
  const ids = tx
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        eq(jobs.organizationId, ctx.organizationId),
        eq(jobs.gateKey, gateKey),
        sql`${jobs.state} in ('scheduled', 'retryable') and ${jobs.gateKey} <> ''`,
        gt(jobs.scheduledAtMs, nowMs),
      ),
    )
    .orderBy(jobs.id)
    .limit(RELEASED_AT_ONCE)
    .all()
    .map(({ id }) => id)
  if (ids.length > 0)
    tx.update(jobs)
      .set({ scheduledAtMs: nowMs })
      .where(sql`${jobs.id} in ${uuidsIn(JSON.stringify(ids))}`)
      .run()
  return ids.length
}

/** Lets the next job of an ordering key be examined again, in the caller's transaction. */
export function unblockNextIn(tx: Tx, line: { orderingKey: string; gateKey: string }): void {
  const isNext = and(
    eq(jobs.orderingKey, line.orderingKey),
    eq(jobs.gateKey, line.gateKey),
    sql`${jobs.isBlocked} = 1`,
  )
  const next = tx.select({ id: jobs.id }).from(jobs).where(isNext).orderBy(jobs.id).limit(1).get()
  if (next) tx.update(jobs).set({ isBlocked: false }).where(eq(jobs.id, next.id)).run()
}

/** Returns how many jobs behind a gate of the organization could start now, at most `most`. */
export function countAvailable(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  which: { queue: Queue; gateKey: string; most: number },
): number {
  return ctx.db.orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, which.queue),
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
        eq(jobs.organizationId, ctx.organizationId),
        eq(jobs.gateKey, which.gateKey),
      ),
    )
    .limit(which.most)
    .all().length
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

/** Gives matching jobs that wait or run new arguments, in the caller's transaction. */
export function changeArgsIn(tx: Tx, ctx: Ctx, which: JobSelector, args: unknown): void {
  tx.update(jobs)
    .set({ args: JSON.stringify(args) })
    .where(
      and(
        selectedBy(ctx, which),
        sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`,
      ),
    )
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

const liveJob = compiled((orm) =>
  orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        eq(jobs.organizationId, place(jobs.organizationId, 'organizationId')),
        eq(jobs.kind, place(jobs.kind, 'kind')),
        eq(jobs.orderingKey, place(jobs.orderingKey, 'orderingKey')),
        sql`(${place(jobs.args, 'args')} is null or ${jobs.args} = ${place(jobs.args, 'args')})`,
        sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`,
      ),
    )
    .limit(atMost(1))
    .prepare(),
)

/** Whether a matching job is waiting or running. Compiled, because each customer's message asks. */
export const hasLiveJob = (ctx: Ctx, { kind, orderingKeys, args }: JobSelector): boolean =>
  orderingKeys.some(
    (orderingKey) =>
      liveJob(ctx.db).get({
        organizationId: ctx.organizationId,
        kind,
        orderingKey,
        args: args === undefined ? null : JSON.stringify(args),
      }) !== undefined,
  )

/** Whether a matching job that was enqueued before another one is waiting or running. */
export const hasEarlierJob = (ctx: Ctx, which: JobSelector, jobId: string): boolean =>
  isAnyOf(
    ctx,
    which,
    sql`${jobs.id} < ${sql.param(jobId, jobs.id)} and ${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`,
  )

/** Whether a matching job is running. */
export const isUnderWay = (ctx: Ctx, which: JobSelector): boolean =>
  isAnyOf(ctx, which, sql`${jobs.state} = 'executing'`)
