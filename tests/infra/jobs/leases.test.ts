import { describe, expect, test } from 'bun:test'

import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock'
import { chooseJobs } from '../../../src/infra/jobs/choose'
import { leaseJobs } from '../../../src/infra/jobs/lease'
import { finish, heldJob, notingJob, waitingJob, Workbench } from '../../support/workbench'

describe('a process that ends', () => {
  /** Leaves jobs as a killed process leaves them: claimed and never finished. */
  const claimAndDie = (bench: Workbench, slots = 8): void =>
    void leaseJobs(bench.deps, chooseJobs(bench.deps, 'default', { slots, after: '' }))

  test('leaves jobs that the next process resumes at startup with the attempt counted', async () => {
    using bench = new Workbench()
    const attempts: number[] = []
    const ran = Promise.withResolvers<void>()
    const job = waitingJob(async (ctx) => {
      attempts.push(ctx.attempt)
      ran.resolve()
    })
    bench.enqueue(job, ['one'])
    claimAndDie(bench)
    expect(bench.states()).toEqual(['executing'])
    const worker = bench.worker([job])
    worker.start()
    await ran.promise
    await worker.stop(1_000)
    expect(attempts).toEqual([2])
    expect(bench.states()).toEqual(['completed'])
  })

  test('leaves jobs that are rescheduled when the clock was set back meanwhile', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const job = notingJob(ran)
    bench.enqueue(job, ['planned before'], { runAtMs: bench.clock.nowMs() + 2 * HOUR_MS })
    bench.clock.advance({ hours: 24 })
    bench.enqueue(job, ['soon'], { runAtMs: bench.clock.nowMs() + MINUTE_MS })
    bench.clock.advance({ hours: -24 })
    for (let start = 0; start < 3; start += 1) {
      const next = bench.worker([job])
      next.start()
      await next.stop(0)
    }
    const dueIn = bench.rows<{ ms: number }>(
      `select scheduled_at_ms - ${bench.clock.nowMs()} as ms from jobs order by id`,
    )
    expect(dueIn).toEqual([{ ms: 2 * HOUR_MS }, { ms: MINUTE_MS }])
    bench.clock.advance({ minutes: 1 })
    await finish(bench.worker([job]))
    expect(ran).toEqual(['soon'])
  })

  test('leaves leases that a running process takes over after they expire', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const job = notingJob(ran)
    bench.enqueue(job, ['one'])
    claimAndDie(bench)
    const worker = bench.worker([job])
    bench.clock.advance({ seconds: 29 })
    await finish(worker)
    expect(ran).toEqual([])
    bench.clock.advance({ seconds: 11 })
    await finish(worker)
    expect(ran).toEqual(['one'])
  })

  test('does not rerun forever a job that kills it', async () => {
    using bench = new Workbench()
    const job = waitingJob(async () => undefined, {
      maxAttempts: 3,
      whenDiscarded: (_tx, _ctx, { name }) => bench.write(`${name} given up`),
    })
    bench.enqueue(job, ['poison'])
    for (let life = 1; life <= 3; life += 1) {
      claimAndDie(bench)
      bench.deps.db.sqlite.run(
        `update jobs set state = 'available', lease_until_ms = null where state = 'executing'`,
      )
    }
    await finish(bench.worker([job]))
    expect(
      bench.rows(`select state, json_extract(errors, '$[0].message') as reason from jobs`),
    ).toEqual([{ state: 'discarded', reason: 'the process ended during every attempt' }])
    expect(bench.written).toEqual(['poison given up'])
  })

  test('extends the leases of its running jobs', async () => {
    using bench = new Workbench()
    const { job, started, seen, letGo } = heldJob()
    bench.enqueue(job, ['long'])
    const worker = bench.worker([job])
    const done = finish(worker)
    await seen
    const leaseOf = (): number =>
      Number(bench.rows('select lease_until_ms as at from jobs')[0]?.['at'])
    const first = leaseOf()
    bench.clock.advance({ seconds: 20 })
    // Any step of the worker also renews its leases.
    const other = finish(worker)
    expect(leaseOf()).toBe(first + 20_000)
    letGo('long')
    await Promise.all([done, other])
    expect(started).toEqual(['long'])
  })
})
