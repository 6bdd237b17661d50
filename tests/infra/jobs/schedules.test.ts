import { describe, expect, test } from 'bun:test'

import { Type } from '@sinclair/typebox'

import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock'
import { job as declare } from '../../../src/infra/jobs/job'
import { pruneJobs } from '../../../src/infra/jobs/prune'
import { scheduleStates } from '../../../src/infra/jobs/schedule'
import { defineCalendarSchedule, defineSchedule } from '../../../src/infra/jobs/define-schedule'
import { work } from '../../../src/infra/jobs/work'
import { finish, Workbench } from '../../support/workbench'

/** A job that a schedule can enqueue. */
const ticking = (run: () => Promise<undefined | void>, name = 'tick') =>
  work(declare(name, Type.Object({}), { queue: 'default' }), run)

describe('schedules', () => {
  test('enqueue their job once per interval, even with several processes', async () => {
    using bench = new Workbench()
    const job = ticking(async () => undefined)
    const schedule = defineSchedule(15 * MINUTE_MS, job)
    const [first, second] = [bench.worker([], [schedule]), bench.worker([], [schedule])]
    const enqueued = (): number => bench.rows('select id from jobs').length
    await finish(first)
    await finish(first)
    await finish(second)
    expect(enqueued()).toBe(1)
    bench.clock.advance({ minutes: 15 })
    await finish(second)
    await finish(first)
    expect(enqueued()).toBe(2)
    bench.clock.advance({ hours: 5 })
    await finish(first)
    expect(enqueued()).toBe(3)
  })

  test('with a cron expression follow their time zone and daylight saving time, and do not run at the first start', async () => {
    using bench = new Workbench()
    const job = ticking(async () => undefined)
    const schedule = defineCalendarSchedule({ cron: '30 2 * * *', timeZone: 'Europe/Madrid' }, job)
    const worker = bench.worker([job as never], [schedule])
    const ran = (): string[] =>
      bench
        .rows<{ at: number }>('select created_at_ms as at from jobs order by id')
        .map(({ at }) => new Date(at).toISOString())
    const moveTo = async (iso: string): Promise<void> => {
      bench.clock.advance({ ms: Date.parse(iso) - bench.clock.nowMs() })
      await finish(worker)
    }
    await finish(worker)
    expect(ran()).toEqual([])
    for (const iso of [
      '2026-11-22T01:29:59.999Z',
      '2026-11-22T01:30:00.000Z',
      '2026-11-22T23:00:00.000Z',
    ])
      await moveTo(iso)
    // The hour skipped in spring is made up for right after it; the repeated hour in autumn counts
    // once.
    for (const iso of ['2027-03-27T12:00:00Z', '2027-03-28T01:00:00Z', '2027-03-28T12:00:00Z'])
      await moveTo(iso)
    for (const iso of ['2027-10-30T12:00:00Z', '2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z'])
      await moveTo(iso)
    expect(ran()).toEqual([
      '2026-11-22T01:30:00.000Z',
      '2027-03-27T12:00:00.000Z',
      '2027-03-28T01:00:00.000Z',
      '2027-10-30T12:00:00.000Z',
      '2027-10-31T00:30:00.000Z',
    ])
  })

  test('are not repeated by the next process, and report the last outcome and the next run', async () => {
    using bench = new Workbench()
    let isBroken = false
    const run = async (): Promise<void> => {
      if (isBroken) throw new Error('not today')
    }
    const job = ticking(run)
    const schedules = [defineSchedule(7 * 24 * HOUR_MS, job)]
    await finish(bench.worker([job as never], schedules))
    expect(scheduleStates(bench.deps, schedules)).toMatchObject([
      {
        name: 'tick',
        words: 'every 7 days',
        lastOutcome: 'completed',
        lastRunAtMs: bench.clock.nowMs(),
      },
    ])
    bench.clock.advance({ hours: 4 * 24 })
    pruneJobs(bench.deps)
    isBroken = true
    await finish(bench.worker([job as never], schedules))
    const [state] = scheduleStates(bench.deps, schedules)
    expect(bench.jobs.length).toBe(state?.lastOutcome === 'retryable' ? 1 : 0)
    bench.clock.advance({ hours: 7 * 24 })
    await finish(bench.worker([job as never], schedules))
    expect(scheduleStates(bench.deps, schedules)).toMatchObject([{ lastOutcome: 'retryable' }])
  })

  test('run once for a time that repeats after the clock is set back, and none is lost', async () => {
    using bench = new Workbench()
    const named = (name: string) => ticking(async () => undefined, name)
    const jobs = [named('nightly'), named('hourly'), named('often')] as const
    const schedules = [
      defineCalendarSchedule({ cron: '0 10 * * *', timeZone: 'UTC' }, jobs[0]),
      defineSchedule(HOUR_MS, jobs[1]),
      defineSchedule(MINUTE_MS, jobs[2]),
    ]
    const worker = bench.worker(jobs as never, schedules)
    const ran = (): Record<string, number> =>
      Object.fromEntries(
        bench
          .rows<{ kind: string; n: number }>('select kind, count(*) as n from jobs group by 1')
          .map(({ kind, n }) => [kind, n]),
      )
    const pass = async (by: { minutes?: number; hours?: number }): Promise<void> => {
      bench.clock.advance(by)
      await finish(worker)
    }
    await finish(worker) // 9:30
    await pass({ minutes: 45 })
    expect(ran()).toEqual({ nightly: 1, hourly: 2, often: 2 })
    await pass({ hours: -1 })
    expect(ran()).toEqual({ nightly: 1, hourly: 2, often: 2 })
    await pass({ minutes: 1 })
    expect(ran()).toEqual({ nightly: 1, hourly: 2, often: 3 })
    await pass({ minutes: 45 })
    expect(ran()).toEqual({ nightly: 1, hourly: 2, often: 4 })
    await pass({ hours: 1 })
    expect(ran()).toEqual({ nightly: 1, hourly: 3, often: 5 })
    await pass({ hours: 24 })
    expect(ran()).toEqual({ nightly: 2, hourly: 4, often: 6 })
  })

  test('skip a run while the previous one is still active', async () => {
    using bench = new Workbench()
    const [seen, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const run = async (): Promise<void> => {
      seen.resolve()
      await released.promise
    }
    const job = ticking(run)
    const worker = bench.worker([job as never], [defineSchedule(MINUTE_MS, job)])
    const done = finish(worker)
    await seen.promise
    bench.clock.advance({ minutes: 1 })
    const other = finish(worker)
    expect(bench.jobs.length).toBe(1)
    released.resolve()
    await Promise.all([done, other])
    bench.clock.advance({ minutes: 1 })
    await finish(worker)
    expect(bench.jobs.length).toBe(2)
  })
})
