import { and, eq, gt, sql } from 'drizzle-orm'
import type { Ctx } from '../ctx'
import { compiled, atMost, place } from '../db/compiled'
import type { Db } from '../db/connection'
import type { Queue } from './job'
import { jobs } from './table'

const availableAt = compiled((orm) =>
  orm
    .select({ jobs: sql<number>`count(*)` })
    .from(
      orm
        .select({ id: jobs.id })
        .from(jobs)
        .where(
          and(
            eq(jobs.queue, place(jobs.queue, 'queue')),
            sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
            eq(jobs.organizationId, place(jobs.organizationId, 'organizationId')),
            eq(jobs.gateKey, place(jobs.gateKey, 'gateKey')),
          ),
        )
        .limit(atMost('most'))
        .as('waiting'),
    )
    .prepare(),
)

/** Counts the available jobs of a gate, up to `most`. */
export const countAvailable = (
  db: Db,
  at: { queue: Queue; organizationId: string; gateKey: string; most: number },
): number => availableAt(db).get({ ...at })?.jobs ?? 0

const nextFilled = compiled((orm) =>
  orm
    .select({ queue: jobs.queue })
    .from(jobs)
    .where(
      and(
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
        gt(jobs.queue, place(jobs.queue, 'after')),
      ),
    )
    .orderBy(jobs.queue)
    .limit(atMost(1))
    .prepare(),
)

/** Returns the queues with jobs that may start. Asks for each of them instead of for all. */
export function filledQueues(db: Db): ReadonlySet<string> {
  const filled = new Set<string>()
  for (let next = nextFilled(db).get({ after: '' }); next;) {
    filled.add(next.queue)
    next = nextFilled(db).get({ after: next.queue })
  }
  return filled
}

const waitsInQueue = compiled((orm) =>
  orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, place(jobs.queue, 'queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
        eq(jobs.organizationId, place(jobs.organizationId, 'organizationId')),
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
        eq(jobs.orderingKey, place(jobs.orderingKey, 'orderingKey')),
        sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`,
      ),
    )
    .limit(atMost(1))
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
