import { describe, expect, test } from 'bun:test'

import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock'
import { transact } from '../../../src/infra/db/transact'
import { expedite } from '../../../src/infra/jobs/waiting-jobs'
import { finish, notingJob, rowJob, until, waitingJob, Workbench } from '../../support/workbench'

describe('a job that returns an outcome', () => {
  test('snoozes without counting the attempt', async () => {
    using bench = new Workbench()
    const attempts: number[] = []
    const job = waitingJob(async (ctx) => {
      attempts.push(ctx.attempt)
      return attempts.length < 30 ? { snoozeMs: MINUTE_MS } : undefined
    })
    bench.enqueue(job, ['one'])
    const worker = bench.worker([job])
    for (let minute = 0; minute < 30; minute += 1) {
      await finish(worker)
      bench.clock.advance({ minutes: 1 })
    }
    expect(attempts).toEqual(Array.from({ length: 30 }, () => 1))
    expect(bench.jobs).toEqual([{ name: 'one', state: 'completed', attempt: 1 }])
  })

  test('is retried at the requested time with the attempt counted, and discarded after the last one', async () => {
    using bench = new Workbench()
    const job = waitingJob(async () => ({ retryInMs: 10, reason: 'busy' }), { maxAttempts: 2 })
    bench.enqueue(job, ['one'])
    const worker = bench.worker([job])
    await finish(worker)
    expect(bench.jobs).toEqual([{ name: 'one', state: 'retryable', attempt: 1 }])
    bench.clock.advance({ ms: 10 })
    await finish(worker)
    expect(bench.jobs).toEqual([{ name: 'one', state: 'discarded', attempt: 2 }])
  })

  test('accepts fractional and invalid snooze times', async () => {
    using bench = new Workbench()
    const times: Record<string, number> = {
      part: 1_500.25,
      none: Number.NaN,
      ever: Infinity,
      past: -5_000,
    }
    const ran: string[] = []
    const outside = waitingJob(
      async (_ctx, { name }) => {
        ran.push(name)
        return { snoozeMs: times[name] ?? 0 }
      },
      { name: 'outside' },
    )
    const again = waitingJob(
      async (_ctx, { name }) => ({ retryInMs: times[name] ?? 0, reason: 'not yet' }),
      { name: 'again' },
    )
    const row = rowJob(
      (_tx, _ctx, { name }) => (name === 'good' ? undefined : { snoozeMs: times[name] ?? 0 }),
      { name: 'row' },
    )
    const worker = bench.worker([outside, again, row])
    for (const job of [outside, again, row]) bench.enqueue(job, ['part', 'none', 'ever'])
    bench.enqueue(row, ['good'])
    await finish(worker)
    const nowMs = bench.clock.nowMs()
    const waits = bench.rows<{ name: string; ms: number }>(
      `select json_extract(args, '$.name') as name, scheduled_at_ms - ${nowMs} as ms from jobs where state in ('scheduled', 'retryable')`,
    )
    expect(waits.length).toBe(9)
    for (const { name, ms } of waits)
      expect([name, ms]).toEqual([name, name === 'part' ? 1_501 : 6 * HOUR_MS])
    expect(
      bench.rows(`select state from jobs where json_extract(args, '$.name') = 'good'`),
    ).toEqual([{ state: 'completed' }])
    const [id] = bench.enqueue(outside, ['past'], { orderingKey: 'past' })
    times['past'] = -1
    worker.step()
    await until(() => ran.includes('past'))
    worker.step()
    expect(bench.rows('select scheduled_at_ms as atMs from jobs where id = ?', id ?? '')).toEqual([
      { atMs: nowMs },
    ])
  })

  test('runs again after its lease expires if its result cannot be stored, without affecting others', async () => {
    using bench = new Workbench()
    bench.deps.db.sqlite.run(`create trigger broken before update of state on jobs
      when json_extract(old.args, '$.name') = 'broken' and new.state = 'completed' begin select raise(abort, 'broken'); end`)
    const ran: string[] = []
    const job = notingJob(ran, { maxAttempts: 2 })
    bench.enqueue(job, ['one', 'broken', 'two'])
    const worker = bench.worker([job])
    await finish(worker)
    expect(bench.states()).toEqual(['completed', 'executing', 'completed'])
    expect(bench.logLines.filter((line) => line.includes('job result not stored')).length).toBe(1)
    bench.clock.advance({ seconds: 41 })
    await finish(worker)
    bench.clock.advance({ seconds: 41 })
    await finish(worker)
    expect(ran).toEqual(['one', 'broken', 'two', 'broken'])
    expect(bench.states()).toEqual(['completed', 'discarded', 'completed'])
  })

  test('is cancelled without follow-up', async () => {
    using bench = new Workbench()
    const job = rowJob(() => ({ cancel: 'nobody needs it' }), {
      whenDiscarded: () => bench.write('followed'),
    })
    bench.enqueue(job, ['one'])
    await finish(bench.worker([job]))
    expect(
      bench.rows(`select state, json_extract(errors, '$[0].message') as reason from jobs`),
    ).toEqual([{ state: 'cancelled', reason: 'nobody needs it' }])
    expect(bench.written).toEqual([])
  })
})

describe('an expedited job', () => {
  /**
   * Creates a job that reads its data just before it changes, and then snoozes as if it had not
   * changed. `outcome` is how it snoozes.
   */
  function shortSighted(
    looks: number[],
    outcome: { snoozeMs: number } | { retryInMs: number; reason: string },
  ) {
    return waitingJob(
      async (ctx) => {
        looks.push(ctx.clock.nowMs())
        if (looks.length > 1) return undefined
        transact(ctx.db, (tx) => expedite(tx, ctx, { kind: 'made.up', orderingKeys: ['key'] }))
        return outcome
      },
      { name: 'made.up' },
    )
  }

  test.each([
    ['sleep', { snoozeMs: HOUR_MS }],
    ['be tried again', { retryInMs: HOUR_MS, reason: 'nothing yet' }],
  ])('while it runs looks again at once, however late it wanted to %s', async (_what, outcome) => {
    using bench = new Workbench()
    const looks: number[] = []
    const job = shortSighted(looks, outcome)
    bench.enqueue(job, ['one'], { orderingKey: 'key' })
    const worker = bench.worker([job])
    await finish(worker)
    expect({ looks: looks.length, states: bench.states() }).toEqual({
      looks: 2,
      states: ['completed'],
    })
  })

  test('snoozes for the full time at the next run', async () => {
    using bench = new Workbench()
    let looks = 0
    const job = waitingJob(
      async (ctx) => {
        looks += 1
        if (looks === 1)
          transact(ctx.db, (tx) => expedite(tx, ctx, { kind: 'made.up', orderingKeys: ['key'] }))
        return { snoozeMs: HOUR_MS }
      },
      { name: 'made.up' },
    )
    bench.enqueue(job, ['one'], { orderingKey: 'key' })
    await finish(bench.worker([job]))
    expect({ looks, states: bench.states() }).toEqual({ looks: 2, states: ['scheduled'] })
  })
})
