import { eq } from 'drizzle-orm'

import type { JobCtx } from '../ctx'
import type { Tx } from '../db/transact'
import type { Job } from './job'
import { jobs } from './table'

/**
 * Stores new arguments of the running job, in the caller's transaction. If the job is interrupted, its
 * next run gets them, so it continues where this one stopped.
 */
export function saveArgsIn<A>(tx: Tx, ctx: JobCtx, job: Job<A>, args: NoInfer<A>): void {
  if (!job.fits(args)) throw new TypeError(`job ${job.name} was given arguments of another shape`)
  tx.update(jobs)
    .set({ args: JSON.stringify(args) })
    .where(eq(jobs.id, ctx.jobId))
    .run()
}
