import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Type } from '@sinclair/typebox'

import { HOUR_MS, MINUTE_MS, SECOND_MS, systemClock } from '../../src/lib/clock'
import { systemCtx } from '../../src/infra/ctx'
import { openDb, transact } from '../../src/infra/db'
import { migrate } from '../../src/infra/migrate'
import { endWaiting, enqueue, hurry, rekeyJobsIn } from '../../src/infra/jobs/enqueue'
import { chooseJobs, leaseJobs } from '../../src/infra/jobs/claim'
import { defineJob, LANES, type Gate } from '../../src/infra/jobs/define'
import { oldestDueMs } from '../../src/infra/jobs/inspect'
import { pauseMs, pruneJobs } from '../../src/infra/jobs/record'
import { defineCalendarSchedule, defineSchedule, scheduleStates } from '../../src/infra/jobs/schedule'
import type { Loose } from '../support/client'
import { finish, rowJob, waitingJob, Workbench } from '../support/workbench'

/** A job that notes its names in the order it ran. */
function notingJob(ran: string[], options: Parameters<typeof waitingJob>[1] = {}) {
  return waitingJob(async (_ctx, { name }) => void ran.push(name), options)
}

/** Lets everything that can go on go on, until it has come so far. */
async function until(holds: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 5_000
  while (!holds()) {
    if (performance.now() > deadlineMs) throw new Error('it did not come so far')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A job that waits until the test lets it go. */
function heldJob(options: Parameters<typeof waitingJob>[1] = {}) {
  const started: string[] = []
  const gates = new Map<string, () => void>()
  const seen = Promise.withResolvers<void>()
  const job = waitingJob(async (_ctx, { name }) => {
    started.push(name)
    seen.resolve()
    await new Promise<void>((resolve) => gates.set(name, resolve))
  }, options)
  return { job, started, seen: seen.promise, letGo: (name: string) => gates.get(name)?.() }
}

describe('enqueueing', () => {
  test('is part of the transaction that asks for it: rolled back, nothing is left', () => {
    using bench = new Workbench()
    const job = notingJob([])
    expect(() =>
      transact(bench.deps.db, (tx) => {
        enqueue(tx, systemCtx(bench.deps, 'org-a'), job, { args: { name: 'one' } })
        throw new Error('the change failed')
      }),
    ).toThrow('the change failed')
    expect(bench.jobs).toEqual([])
  })

  test('refuses arguments of another shape', () => {
    using bench = new Workbench()
    expect(() => bench.enqueue(notingJob([]), [7 as unknown as string])).toThrow('arguments of another shape')
    expect(bench.jobs).toEqual([])
  })

  test('with a unique key happens once, also after the first one has ended', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const job = notingJob(ran)
    bench.enqueue(job, ['first'], { uniqueKey: 'key' })
    bench.enqueue(job, ['second'], { uniqueKey: 'key' })
    await finish(bench.worker([job]))
    bench.enqueue(job, ['third'], { uniqueKey: 'key' })
    await finish(bench.worker([job]))
    expect(ran).toEqual(['first'])
  })

  test('for later waits for its time', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const job = notingJob(ran)
    bench.enqueue(job, ['later'], { runAtMs: bench.clock.nowMs() + MINUTE_MS })
    const worker = bench.worker([job])
    await finish(worker)
    expect({ ran, states: bench.states() }).toEqual({ ran: [], states: ['scheduled'] })
    bench.clock.advance({ minutes: 1 })
    await finish(worker)
    expect(ran).toEqual(['later'])
  })

  test('a job this version does not know, or whose arguments do not fit it, is given up and stays visible', async () => {
    using bench = new Workbench()
    const [unknown, unfit] = [notingJob([], { name: 'of.old' }), notingJob([])]
    bench.enqueue(unknown, ['unknown'])
    bench.enqueue(unfit, ['unfit'])
    bench.deps.db.sqlite.run(`update jobs set args = '{}' where kind = 'made.up'`)
    await finish(bench.worker([unfit]))
    expect(bench.rows(`select state, json_extract(errors, '$[0].message') as error from jobs order by id`)).toEqual([
      { state: 'discarded', error: 'this version has no job named of.old' },
      { state: 'discarded', error: 'the arguments do not fit this version of the job' },
    ])
  })
})

describe('a job that is hurried', () => {
  /** A job that looks, is told that there is news only afterwards, and wants to wait then as if there were none; `outcome`: how. */
  function shortSighted(looks: number[], outcome: { snoozeMs: number } | { retryInMs: number; reason: string }) {
    return waitingJob(
      async (ctx) => {
        looks.push(ctx.clock.nowMs())
        if (looks.length > 1) return undefined
        transact(ctx.db, (tx) => hurry(tx, ctx, { kind: 'made.up', serialKeys: ['key'] }))
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
    bench.enqueue(job, ['one'], { serialKey: 'key' })
    const worker = bench.worker([job])
    await finish(worker)
    expect({ looks: looks.length, states: bench.states() }).toEqual({ looks: 2, states: ['completed'] })
  })

  test('once waits as long as it says the next time', async () => {
    using bench = new Workbench()
    let looks = 0
    const job = waitingJob(
      async (ctx) => {
        looks += 1
        if (looks === 1) transact(ctx.db, (tx) => hurry(tx, ctx, { kind: 'made.up', serialKeys: ['key'] }))
        return { snoozeMs: HOUR_MS }
      },
      { name: 'made.up' },
    )
    bench.enqueue(job, ['one'], { serialKey: 'key' })
    await finish(bench.worker([job]))
    expect({ looks, states: bench.states() }).toEqual({ looks: 2, states: ['scheduled'] })
  })
})

describe('jobs of one serial key', () => {
  test('run one after the other in the order they were enqueued, while others go on', async () => {
    using bench = new Workbench({ workers: 8 })
    const { job, started, seen, letGo } = heldJob()
    bench.enqueue(job, ['a1', 'a2', 'a3'], { serialKey: 'a' })
    bench.enqueue(job, ['b1'], { serialKey: 'b' })
    bench.enqueue(job, ['free'])
    const done = finish(bench.worker([job]))
    await seen
    expect(started).toEqual(['a1', 'b1', 'free'])
    for (const name of ['a1', 'b1', 'free']) letGo(name)
    for (const name of ['a2', 'a3']) {
      await until(() => started.at(-1) === name)
      letGo(name)
    }
    await done
    expect(started).toEqual(['a1', 'b1', 'free', 'a2', 'a3'])
  })

  test('wait for one that is to be tried again, but no longer than a minute', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const job = waitingJob(async (_ctx, { name }) => {
      ran.push(name)
      if (name === 'stuck') return { snoozeMs: HOUR_MS }
      return undefined
    })
    bench.enqueue(job, ['stuck', 'next'], { serialKey: 'a' })
    const worker = bench.worker([job])
    await finish(worker)
    bench.clock.advance({ seconds: 59 })
    await finish(worker)
    expect(ran).toEqual(['stuck'])
    bench.clock.advance({ seconds: 1 })
    await finish(worker)
    expect(ran).toEqual(['stuck', 'next'])
  })

  test('do not wait for one that is only planned for later', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const job = notingJob(ran)
    bench.enqueue(job, ['planned'], { serialKey: 'a', runAtMs: bench.clock.nowMs() + HOUR_MS })
    bench.enqueue(job, ['now'], { serialKey: 'a' })
    await finish(bench.worker([job]))
    expect(ran).toEqual(['now'])
  })

  test('never run beside each other, also when an earlier one comes back while a later one runs', () => {
    using bench = new Workbench()
    const job = notingJob([])
    const at = { slots: 8, after: '' }
    const claim = (): string[] =>
      leaseJobs(bench.deps, chooseJobs(bench.deps, 'default', at)).map(({ args }) => (JSON.parse(args) as { name: string }).name)
    bench.enqueue(job, ['early', 'late'], { serialKey: 'a' })
    expect(claim()).toEqual(['early'])
    bench.deps.db.sqlite.run(`update jobs set state = 'retryable', lease_until_ms = null where state = 'executing'`)
    bench.clock.advance({ minutes: 2 })
    expect(claim()).toEqual(['late'])
    bench.deps.db.sqlite.run(`update jobs set state = 'available' where state = 'retryable'`)
    expect(claim()).toEqual([])
    bench.deps.db.sqlite.run(`delete from jobs where state = 'executing'`)
    expect(claim()).toEqual(['early'])
  })
})

describe('priorities', () => {
  test('decide which of an organization goes first, of equal ones the oldest; a serial key keeps its order all the same', async () => {
    using bench = new Workbench({ workers: 1 })
    const ran: string[] = []
    const job = notingJob(ran)
    const urgent = notingJob(ran, { name: 'urgent', priority: 'high' })
    bench.enqueue(job, ['low'], { priority: 'low' })
    bench.enqueue(job, ['normal 1', 'normal 2'])
    bench.enqueue(urgent, ['high 1'])
    bench.enqueue(job, ['first'], { serialKey: 'a', priority: 'low' })
    bench.enqueue(job, ['second'], { serialKey: 'a', priority: 'high' })
    await finish(bench.worker([job, urgent]))
    expect(ran).toEqual(['high 1', 'normal 1', 'normal 2', 'low', 'first', 'second'])
  })
})

describe('what the table itself refuses', () => {
  const row = (bench: Workbench, set: string): void => void bench.deps.db.sqlite.run(`update jobs set ${set}`)

  test.each([
    ['a state that is none', "state = 'lost'"],
    ['one that runs without a lease', "state = 'executing', attempt = 1, attempted_at_ms = 1"],
    ['one that runs and was never begun', "state = 'executing', lease_until_ms = 1"],
    ['one that ended at no time', "state = 'discarded'"],
    ['one that waits and has ended', 'finished_at_ms = 1'],
    ['a priority that is none', 'priority = 4'],
    ['success without a run', "state = 'completed', attempt = 1, attempted_at_ms = 1, finished_at_ms = 1"],
    ['a second attempt without a first', "state = 'retryable', attempt = 1, attempted_at_ms = 1"],
  ])('%s', (_what, set) => {
    using bench = new Workbench()
    bench.enqueue(notingJob([]), ['one'])
    expect(() => row(bench, set)).toThrow('CHECK constraint failed')
    expect(bench.states()).toEqual(['available'])
  })

  test('that one which succeeded goes anywhere', async () => {
    using bench = new Workbench()
    const job = notingJob([])
    bench.enqueue(job, ['one'])
    await finish(bench.worker([job]))
    for (const set of ["state = 'available', finished_at_ms = null", "state = 'discarded'"])
      expect(() => row(bench, set)).toThrow('a job does not go from that state to this one')
  })
})

describe('many jobs of one serial key', () => {
  test('are not looked at again and again: a claim of another organization stays as short as without them', () => {
    using bench = new Workbench()
    const job = notingJob([])
    const crowd = Array.from({ length: 5_000 }, (_, nth) => `${nth}`)
    bench.enqueue(job, crowd, { serialKey: 'one contact' })
    bench.enqueue(job, ['free'])
    const choice = chooseJobs(bench.deps, 'default', { slots: 64, after: '' })
    expect(leaseJobs(bench.deps, choice).map(({ args }) => (JSON.parse(args) as { name: string }).name)).toEqual(['0', 'free'])
    expect(choice.isPartial).toBe(false)
    expect(bench.rows('select count(*) as n from jobs where is_behind = 1')).toEqual([{ n: 4_999 }])
  })

  test('go on where ids went back with the clock', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const job = notingJob(ran)
    const [late, early] = bench.enqueue(job, ['of the wrong time', 'of now'], { serialKey: 'a' })
    bench.deps.db.sqlite.run(`update jobs set id = 'ff' where id = '${late}'`)
    expect(bench.rows('select id, is_behind from jobs order by id')).toEqual([
      { id: early, is_behind: 1 },
      { id: 'ff', is_behind: 0 },
    ])
    await finish(bench.worker([job]))
    expect(ran).toEqual(['of the wrong time', 'of now'])
  })

  test('come one after the other however they end, come back or are called off, and none is left behind', async () => {
    using bench = new Workbench({ workers: 3 })
    let seed = 7
    const below = (limit: number): number => (seed = (seed * 48_271) % 2_147_483_647) % limit
    const running = new Set<string>()
    const overlaps: string[] = []
    const job = waitingJob(
      async (ctx, { name }) => {
        const key = bench.rows<{ key: string }>('select serial_key as key from jobs where id = ?', ctx.jobId)[0]?.key ?? ''
        if (running.has(key)) overlaps.push(name)
        running.add(key)
        await Promise.resolve()
        running.delete(key)
        const dice = below(10)
        if (dice === 0) throw new Error('not now')
        if (dice === 1) return { snoozeMs: below(120) * SECOND_MS }
        if (dice === 2) return { cancel: 'not wanted' }
        if (dice === 3 && ctx.attempt < 3) return { retryInMs: 1, reason: 'again' }
        return undefined
      },
      { maxAttempts: 4 },
    )
    const worker = bench.worker([job])
    for (let round = 0; round < 40; round += 1) {
      for (const key of ['a', 'b', 'c'])
        bench.enqueue(job, [`${key}${round}`, `${key}${round}+`], {
          serialKey: key,
          ...(below(4) === 0 ? { runAtMs: bench.clock.nowMs() + below(90_000) } : {}),
        })
      const ctx = systemCtx(bench.deps, 'org-a')
      if (below(5) === 0)
        transact(bench.deps.db, (tx) =>
          endWaiting(tx, ctx, { kind: job.name, serialKeys: ['b'], args: { name: `b${round}` } }, { state: 'cancelled', reason: 'off' }),
        )
      if (below(7) === 0)
        transact(bench.deps.db, (tx) =>
          rekeyJobsIn(tx, ctx, { from: 'c', to: 'a', isMeant: (args) => (args as { name: string }).name.endsWith('+') }),
        )
      if (round % 2 === 0) await finish(worker)
      bench.clock.advance({ seconds: below(40) })
    }
    for (let round = 0; round < 300 && bench.rows('select 1 from jobs where finished_at_ms is null').length > 0; round += 1) {
      bench.clock.advance({ minutes: 2 })
      await finish(worker)
    }
    expect(bench.rows('select state, is_behind from jobs where finished_at_ms is null')).toEqual([])
    expect(overlaps).toEqual([])
  })
})

describe('fairness', () => {
  test('a lane that is full leaves the others their own width', async () => {
    using bench = new Workbench({ workers: 2 })
    const held = heldJob({ name: 'slow', lane: 'default' })
    const ran: string[] = []
    const quick = LANES.filter((lane) => lane !== 'default').map((lane) => notingJob(ran, { name: `quick.${lane}`, lane }))
    bench.enqueue(held.job, ['s1', 's2', 's3', 's4'])
    for (const job of quick) bench.enqueue(job, [job.lane])
    const done = finish(bench.worker([held.job, ...quick]))
    await held.seen
    await until(() => ran.length === quick.length)
    expect(ran.toSorted()).toEqual(quick.map(({ lane }) => lane).toSorted())
    expect(held.started).toEqual(['s1', 's2'])
    for (let nth = 1; nth <= 4; nth += 1) {
      await until(() => held.started.length >= nth)
      held.letGo(`s${nth}`)
    }
    await done
  })

  test('an organization with two jobs does not wait for one with a thousand', async () => {
    using bench = new Workbench({ workers: 4 })
    const ran: string[] = []
    const job = notingJob(ran)
    bench.enqueue(
      job,
      Array.from({ length: 1_000 }, (_, nth) => `many-${nth}`),
      {},
      'org-a',
    )
    bench.enqueue(job, ['few-0', 'few-1'], {}, 'org-b')
    await finish(bench.worker([job]))
    expect(ran).toHaveLength(1_002)
    expect(Math.max(ran.indexOf('few-0'), ran.indexOf('few-1'))).toBeLessThan(8)
    expect(ran.filter((name) => name.startsWith('many-'))).toEqual(Array.from({ length: 1_000 }, (_, nth) => `many-${nth}`))
  })

  test('an organization that fills the lane with jobs that take long leaves places for the others', async () => {
    using bench = new Workbench({ workers: 2 })
    const { job, started, letGo } = heldJob()
    const slow = Array.from({ length: 20 }, (_, nth) => `slow-${nth}`)
    bench.enqueue(job, slow, {}, 'org-a')
    const worker = bench.worker([job])
    const done = finish(worker)
    await until(() => started.length === 2)
    bench.enqueue(job, ['quick'], {}, 'org-b')
    const again = finish(worker)
    await until(() => started.includes('quick'))
    expect(started).toEqual(['slow-0', 'slow-1', 'quick'])
    for (let nth = 0; nth < 21; nth += 1) {
      await until(() => started.length > nth)
      letGo(String(started[nth]))
    }
    await Promise.all([done, again])
  })

  test('beside 100,000 jobs of another one a job is begun in the next turn and before all of them, as it is when there are none', async () => {
    using bench = new Workbench()
    const begun: string[] = []
    let at = 0
    const small = rowJob((_tx, _ctx, { name }) => void begun.push(name), { name: 'small', isKept: false })
    const large = rowJob(
      (_tx, _ctx, { name }) => {
        begun.push(name)
        at += 1
        // Asked for in the middle of a turn, every hundredth time.
        if (at % 100 === 0 && at <= 2_000) bench.enqueue(small, [`small ${at}`], {}, 'org-b')
      },
      { name: 'large', isKept: false },
    )
    bench.enqueue(large, ['large'], {}, 'org-a')
    bench.deps.db.sqlite.run(
      `with recursive nth (n) as (select 1 union all select n + 1 from nth where n < 99999)
       insert into jobs (id, kind, lane, state, organization_id, args, max_attempts, scheduled_at_ms, created_at_ms)
       select 'zz' || printf('%06d', n), 'large', 'inbound', 'available', 'org-a', '{"name":"large"}', 20, 0, 0 from nth`,
    )
    const worker = bench.worker([small, large])
    for (let turn = 0; turn < 200 && at < 2_500; turn += 1) worker.step()
    expect(begun.filter((name) => name !== 'large')).toHaveLength(20)
    // How many others were begun between asking and beginning: never more than what was left of the turn.
    const between = begun.flatMap((name, index) => {
      if (name === 'large') return []
      const askedAt = Number(name.slice('small '.length))
      return [begun.slice(0, index).filter((other) => other === 'large').length - askedAt]
    })
    expect(Math.max(...between)).toBeLessThan(64)
  })

  test('a hundred thousand jobs that become due at the same moment hold up nobody: one that is due then, too, is among the first', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const small = rowJob((_tx, _ctx, { name }) => void ran.push(name), { name: 'small', lane: 'default', isKept: false })
    const large = rowJob((_tx, _ctx, { name }) => void ran.push(name), { name: 'large', lane: 'inbound', isKept: false })
    const names = Array.from({ length: 100_000 }, (_, nth) => `large ${nth}`)
    bench.enqueue(large, names, { runAtMs: bench.clock.nowMs() + HOUR_MS }, 'org-large')
    bench.enqueue(small, ['small'], { runAtMs: bench.clock.nowMs() + HOUR_MS + 1 }, 'org-small')
    bench.clock.advance({ hours: 1, ms: 1 })
    const worker = bench.worker([small, large])
    worker.step()
    expect(ran).toContain('small')
    expect(bench.rows("select count(*) as n from jobs where state = 'scheduled'")[0]?.['n']).toBeGreaterThan(99_000)
    for (let turn = 0; turn < 10; turn += 1) worker.step()
    expect(ran.length).toBeGreaterThan(10)
    await worker.stop(0)
  })

  test('more jobs that are due than become available in one turn all have their turn, of however many organizations', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const job = rowJob((_tx, _ctx, { name }) => void ran.push(name), { isKept: false })
    const runAtMs = bench.clock.nowMs() + HOUR_MS
    for (let nth = 0; nth < 1_200; nth += 1) bench.enqueue(job, [`${nth}`], { runAtMs: runAtMs + (nth % 2) }, `org-${nth}`)
    bench.enqueue(
      job,
      Array.from({ length: 500 }, (_, nth) => `many ${nth}`),
      { runAtMs },
      'org-many',
    )
    bench.clock.advance({ hours: 1, ms: 1 })
    await finish(bench.worker([job]))
    expect(new Set(ran).size).toBe(1_700)
    expect(ran.length).toBe(1_700)
  })

  test('more organizations than places take turns', async () => {
    using bench = new Workbench({ workers: 2 })
    const ran: string[] = []
    const job = notingJob(ran)
    const organizations = Array.from({ length: 100 }, (_, nth) => `org-${String(nth).padStart(3, '0')}`)
    for (const organization of organizations) bench.enqueue(job, [organization, organization], {}, organization)
    await finish(bench.worker([job]))
    expect(ran.slice(0, 100).toSorted()).toEqual(organizations)
    expect(ran.slice(100).toSorted()).toEqual(organizations)
  })

  test('never more jobs of a lane run at once than its width', async () => {
    using bench = new Workbench({ workers: 3 })
    let running = 0
    let most = 0
    const job = waitingJob(async () => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
    })
    bench.enqueue(
      job,
      Array.from({ length: 50 }, (_, nth) => `${nth}`),
    )
    await finish(bench.worker([job]))
    expect(most).toBe(3)
  })
})

test('since when the oldest due job waits is told at once, however many wait', () => {
  using bench = new Workbench()
  const job = rowJob(() => undefined)
  expect(oldestDueMs(bench.deps)).toBeNull()
  const sinceMs = bench.clock.nowMs()
  bench.enqueue(job, ['gated'], { gateKey: 'shut' })
  bench.clock.advance({ seconds: 1 })
  bench.enqueue(
    rowJob(() => undefined, { priority: 'low' }),
    ['oldest'],
  )
  const tookMs = (): number => {
    const before = process.cpuUsage()
    for (let nth = 0; nth < 50; nth += 1) expect(oldestDueMs(bench.deps)).toBe(sinceMs + 1_000)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  bench.clock.advance({ seconds: 1 })
  bench.enqueue(
    job,
    Array.from({ length: 100 }, (_, nth) => `${nth}`),
  )
  tookMs()
  const aloneMs = tookMs()
  bench.enqueue(
    job,
    Array.from({ length: 50_000 }, (_, nth) => `more ${nth}`),
  )
  expect(tookMs()).toBeLessThan(aloneMs * 5 + 20)
})

describe('a job that fails', () => {
  test('is tried again after a pause that doubles from one second, at most six hours, by full jitter', () => {
    for (const [attempt, ceilingMs] of [
      [1, SECOND_MS],
      [2, 2 * SECOND_MS],
      [5, 16 * SECOND_MS],
      [15, 16_384 * SECOND_MS],
      [16, 6 * HOUR_MS],
      [2_000, 6 * HOUR_MS],
    ] as const) {
      expect({ attempt, least: pauseMs(attempt, () => 0) }).toEqual({ attempt, least: 0 })
      expect({ attempt, half: pauseMs(attempt, () => 0.5) }).toEqual({ attempt, half: ceilingMs / 2 })
      expect(pauseMs(attempt, () => 0.999_999)).toBeLessThanOrEqual(ceilingMs)
    }
  })

  test.each(['async', 'transaction'] as const)('(%s) keeps what went wrong and succeeds at its next attempt', async (mode) => {
    using bench = new Workbench()
    const run = ({ attempt }: { attempt: number }): void => {
      if (attempt === 1) throw new Error('not today')
    }
    const job = mode === 'async' ? waitingJob(async (ctx) => run(ctx)) : rowJob((_tx, ctx) => run(ctx))
    bench.enqueue(job, ['one'])
    const worker = bench.worker([job])
    await finish(worker)
    expect(bench.rows('select state, attempt, scheduled_at_ms - attempted_at_ms as pause from jobs')).toEqual([
      { state: 'retryable', attempt: 1, pause: SECOND_MS / 2 },
    ])
    bench.clock.advance({ ms: 499 })
    await finish(worker)
    expect(bench.states()).toEqual(['retryable'])
    bench.clock.advance({ ms: 1 })
    await finish(worker)
    const [row] = bench.rows('select state, attempt, errors from jobs')
    expect<unknown>({ ...row, errors: JSON.parse(String(row?.['errors'])) }).toEqual({
      state: 'completed',
      attempt: 2,
      errors: [{ attempt: 1, at_ms: bench.clock.nowMs() - 500, message: 'not today' }],
    })
  })

  test('by throwing before it waits for anything gives its place back', async () => {
    using bench = new Workbench({ workers: 1 })
    const atOnce = (): Promise<void> => {
      throw new Error('at once')
    }
    const job = waitingJob(atOnce, { maxAttempts: 1 })
    bench.enqueue(job, ['one', 'two', 'three'])
    await finish(bench.worker([job]))
    expect(bench.states()).toEqual(['discarded', 'discarded', 'discarded'])
  })

  test('after its last attempt is given up, stays visible, and what follows it happens in the same transaction', async () => {
    using bench = new Workbench()
    const job = waitingJob(
      async () => {
        throw new Error('never works')
      },
      {
        maxAttempts: 3,
        whenDiscarded: (_tx, ctx, { name }, reason) =>
          bench.write(`${name} given up at ${ctx.attempt}: ${reason}, in transaction: ${bench.deps.db.sqlite.inTransaction}`),
      },
    )
    bench.enqueue(job, ['one'])
    const worker = bench.worker([job])
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await finish(worker)
      bench.clock.advance({ hours: 1 })
    }
    expect(bench.jobs).toEqual([{ name: 'one', state: 'discarded', attempt: 3 }])
    expect(bench.written).toEqual(['one given up at 3: never works, in transaction: true'])
    pruneJobs(bench.deps)
    bench.clock.advance({ hours: 29 * 24 })
    pruneJobs(bench.deps)
    expect(bench.states()).toEqual(['discarded'])
    bench.clock.advance({ hours: 24 })
    pruneJobs(bench.deps)
    expect(bench.jobs).toEqual([])
  })

  test('is given up even when what follows fails, which leaves nothing behind', async () => {
    using bench = new Workbench()
    const job = rowJob(
      () => {
        throw new Error('never works')
      },
      {
        maxAttempts: 1,
        whenDiscarded: () => {
          bench.write('half done')
          throw new Error('neither does this')
        },
      },
    )
    bench.enqueue(job, ['one'])
    await finish(bench.worker([job]))
    expect(bench.states()).toEqual(['discarded'])
    expect(bench.written).toEqual([])
    expect(bench.logLines.some((line) => line.includes('what follows a job that was given up failed'))).toBe(true)
  })
})

describe('a gate', () => {
  /** Gates of the lane of sends, by key: what may start, until it is changed. */
  function gated(room: Record<string, number>) {
    const gate: Gate = {
      lane: 'send',
      look: (_deps, { gateKey }) => ({ room: room[gateKey] ?? 0, nextAtMs: null }),
    }
    const ran: string[] = []
    const job = waitingJob(
      async (_ctx, { name }) => {
        ran.push(name)
        const key = name.slice(0, 1)
        room[key] = (room[key] ?? 0) - 1
      },
      { lane: 'send' },
    )
    return { gate, ran, job, room }
  }

  test('lets no more through than it has room for; the others wait untried and in order', async () => {
    using bench = new Workbench()
    const { gate, ran, job, room } = gated({ a: 2, b: 0 })
    bench.enqueue(job, ['a1', 'a2', 'a3', 'a4'], { gateKey: 'a' })
    bench.enqueue(job, ['b1'], { gateKey: 'b' })
    bench.enqueue(job, ['free'])
    const worker = bench.worker([job], [], [gate])
    await finish(worker)
    expect(ran.toSorted()).toEqual(['a1', 'a2', 'free'])
    expect(bench.rows(`select first_attempted_at_ms as at, attempt from jobs where state = 'available'`)).toEqual([
      { at: null, attempt: 0 },
      { at: null, attempt: 0 },
      { at: null, attempt: 0 },
    ])
    Object.assign(room, { a: 5, b: 5 })
    await finish(worker)
    expect(ran.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4'])
    expect(ran).toContain('b1')
  })

  test('that is shut takes no turn of those behind open ones, however many organizations stand before it', async () => {
    using bench = new Workbench()
    const { gate, ran, job } = gated({ a: 0, b: 1 })
    for (let nth = 100; nth < 300; nth += 1) bench.enqueue(job, ['a1'], { gateKey: 'a' }, `org-${nth}`)
    bench.enqueue(job, ['b1'], { gateKey: 'b' }, 'org-999')
    await finish(bench.worker([job], [], [gate]))
    expect(ran).toEqual(['b1'])
  })

  test('that is shut starves nobody either where more organizations wait than are looked at in one claim', async () => {
    using bench = new Workbench()
    const { gate, ran, job } = gated({ a: 0, b: 2 })
    bench.enqueue(job, ['b1'], { gateKey: 'b' }, 'org-0000')
    for (let nth = 1_000; nth < 3_500; nth += 1) bench.enqueue(job, ['a1'], { gateKey: 'a' }, `org-${nth}`)
    bench.enqueue(job, ['b2'], { gateKey: 'b' }, 'org-9999')
    const worker = bench.worker([job], [], [gate])
    await finish(worker)
    expect(ran.toSorted()).toEqual(['b1', 'b2'])
    bench.enqueue(job, ['a2'], { gateKey: 'a' }, 'org-0001')
    await finish(worker) // which comes to an end although most of them are still there
  })

  test('takes back a job that turns out to be too early, as if it had never run', async () => {
    using bench = new Workbench()
    let room = 1
    const gate: Gate = { lane: 'send', look: () => ({ room, nextAtMs: null }) }
    const ran: string[] = []
    const job = waitingJob(
      async (_ctx, { name }) => {
        ran.push(name)
        if (ran.length > 1) return undefined
        room = 0
        return { backToGate: true }
      },
      { lane: 'send' },
    )
    bench.enqueue(job, ['one', 'two'], { gateKey: 'a', serialKey: 'same' })
    const worker = bench.worker([job], [], [gate])
    await finish(worker)
    expect(bench.jobs).toEqual([
      { name: 'one', state: 'available', attempt: 0 },
      { name: 'two', state: 'available', attempt: 0 },
    ])
    bench.clock.advance({ hours: 1 })
    room = 5
    await finish(worker)
    expect(ran).toEqual(['one', 'one', 'two'])
  })

  test('leaves part of the sends of an organization to its other gates', async () => {
    using bench = new Workbench()
    const gate: Gate = { lane: 'send', look: () => ({ room: Infinity, nextAtMs: null }) }
    const { job, started, letGo } = heldJob({ lane: 'send' })
    const names = Array.from({ length: 100 }, (_, nth) => `slow-${nth}`)
    bench.enqueue(job, names, { gateKey: 'a' })
    const worker = bench.worker([job], [], [gate])
    const done = finish(worker)
    await until(() => started.length === 48)
    bench.enqueue(job, ['quick'], { gateKey: 'b' })
    bench.enqueue(job, ['quick too'], { gateKey: 'a' }, 'org-b')
    const again = finish(worker)
    await until(() => started.includes('quick') && started.includes('quick too'))
    expect(started.filter((name) => name.startsWith('slow')).length).toBe(48)
    const gone = new Set<string>()
    const pump = setInterval(() => {
      for (const name of started) if (!gone.has(name) && gone.add(name)) letGo(name)
    }, 1)
    await Promise.all([done, again])
    clearInterval(pump)
    expect(started.length).toBe(102)
  })
})

describe('a job that decides itself', () => {
  test('how long it sleeps: that run does not count as an attempt', async () => {
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

  test('when it is tried again: that run counts, and the last one gives up', async () => {
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

  test('a time that is none, or no whole one, stops nobody: it sleeps as long as it says as nearly as that can be written down', async () => {
    using bench = new Workbench()
    const times: Record<string, number> = { part: 1_500.25, none: Number.NaN, ever: Infinity, past: -5_000 }
    const ran: string[] = []
    const outside = waitingJob(
      async (_ctx, { name }) => {
        ran.push(name)
        return { snoozeMs: times[name] ?? 0 }
      },
      { name: 'outside' },
    )
    const again = waitingJob(async (_ctx, { name }) => ({ retryInMs: times[name] ?? 0, reason: 'not yet' }), { name: 'again' })
    const row = rowJob((_tx, _ctx, { name }) => (name === 'good' ? undefined : { snoozeMs: times[name] ?? 0 }), { name: 'row' })
    const worker = bench.worker([outside, again, row])
    for (const job of [outside, again, row]) bench.enqueue(job, ['part', 'none', 'ever'])
    bench.enqueue(row, ['good'])
    await finish(worker)
    const nowMs = bench.clock.nowMs()
    const waits = bench.rows<{ name: string; ms: number }>(
      `select json_extract(args, '$.name') as name, scheduled_at_ms - ${nowMs} as ms from jobs where state in ('scheduled', 'retryable')`,
    )
    expect(waits.length).toBe(9)
    for (const { name, ms } of waits) expect([name, ms]).toEqual([name, name === 'part' ? 1_501 : 6 * HOUR_MS])
    expect(bench.rows(`select state from jobs where json_extract(args, '$.name') = 'good'`)).toEqual([{ state: 'completed' }])
    const [id] = bench.enqueue(outside, ['past'], { serialKey: 'past' })
    times['past'] = -1
    worker.step()
    await until(() => ran.includes('past'))
    worker.step()
    expect(bench.rows('select scheduled_at_ms as atMs from jobs where id = ?', id ?? '')).toEqual([{ atMs: nowMs }])
  })

  test('what cannot be written down of one job is written down of all others, and that one runs again when its lease is over', async () => {
    using bench = new Workbench()
    bench.deps.db.sqlite.run(`create trigger broken before update of state on jobs
      when json_extract(old.args, '$.name') = 'broken' and new.state = 'completed' begin select raise(abort, 'broken'); end`)
    const ran: string[] = []
    const job = notingJob(ran, { maxAttempts: 2 })
    bench.enqueue(job, ['one', 'broken', 'two'])
    const worker = bench.worker([job])
    await finish(worker)
    expect(bench.states()).toEqual(['completed', 'executing', 'completed'])
    expect(bench.logLines.filter((line) => line.includes('could not be written down')).length).toBe(1)
    bench.clock.advance({ seconds: 41 })
    await finish(worker)
    bench.clock.advance({ seconds: 41 })
    await finish(worker)
    expect(ran).toEqual(['one', 'broken', 'two', 'broken'])
    expect(bench.states()).toEqual(['completed', 'discarded', 'completed'])
  })

  test('that it is pointless is cancelled, and nothing follows', async () => {
    using bench = new Workbench()
    const job = rowJob(() => ({ cancel: 'nobody needs it' }), { whenDiscarded: () => bench.write('followed') })
    bench.enqueue(job, ['one'])
    await finish(bench.worker([job]))
    expect(bench.rows(`select state, json_extract(errors, '$[0].message') as reason from jobs`)).toEqual([
      { state: 'cancelled', reason: 'nobody needs it' },
    ])
    expect(bench.written).toEqual([])
  })
})

describe('a job of the database alone', () => {
  test('takes effect together with its completion, or not at all', async () => {
    using bench = new Workbench()
    const job = rowJob((_tx, { attempt }, { name }) => {
      bench.write(`${name} at attempt ${attempt}`)
      if (attempt < 3) throw new Error('after writing')
    })
    bench.enqueue(job, ['one'])
    const worker = bench.worker([job])
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await finish(worker)
      expect(bench.written).toEqual(attempt < 3 ? [] : ['one at attempt 3'])
      bench.clock.advance({ minutes: 1 })
    }
    expect(bench.states()).toEqual(['completed'])
  })

  test('that is bad leaves the others of its batch alone', async () => {
    using bench = new Workbench()
    const names = Array.from({ length: 20 }, (_, nth) => `${nth}`)
    const job = rowJob((_tx, _ctx, { name }) => {
      bench.write(name)
      if (name === '7') throw new Error('bad')
    })
    bench.enqueue(job, names)
    await finish(bench.worker([job]))
    expect(bench.written).toEqual(names.filter((name) => name !== '7'))
    expect(bench.jobs.filter(({ state }) => state !== 'completed')).toEqual([{ name: '7', state: 'retryable', attempt: 1 }])
  })

  test('whose batch could not be committed is tried again with it', async () => {
    using bench = new Workbench()
    let isBroken = true
    const job = rowJob((_tx, _ctx, { name }) => {
      bench.write(name)
      // A deferred foreign key fails at the commit and at nothing before it.
      if (isBroken) bench.deps.db.sqlite.run('insert into children (parent) values (1)')
    })
    bench.deps.db.sqlite.run('create table parents (id integer primary key)')
    bench.deps.db.sqlite.run('create table children (parent integer references parents (id) deferrable initially deferred)')
    bench.enqueue(job, ['one', 'two'])
    const worker = bench.worker([job])
    await finish(worker)
    expect(bench.written).toEqual([])
    expect(bench.states()).toEqual(['retryable', 'retryable'])
    isBroken = false
    bench.clock.advance({ minutes: 1 })
    await finish(worker)
    expect(bench.written).toEqual(['one', 'two'])
  })

  test('that meets a full disk counts no attempt, takes no effect by half, and is done when there is room', async () => {
    using bench = new Workbench()
    const { sqlite } = bench.deps.db
    const job = rowJob((_tx, _ctx, { name }) => {
      for (let nth = 0; nth < 50; nth += 1) bench.write(`${name} ${'x'.repeat(4_000)}`)
    })
    bench.enqueue(job, ['one', 'two', 'three'])
    const worker = bench.worker([job])
    const pages = sqlite.query<{ page_count: number }, []>('pragma page_count').get()?.page_count ?? 0
    sqlite.run(`pragma max_page_count = ${pages + 60}`)
    expect(await finish(worker).catch((error: unknown) => String(error))).toContain('full')
    expect(bench.written).toEqual([])
    sqlite.run('pragma max_page_count = 1073741823')
    await finish(worker)
    expect(bench.jobs.map(({ state, attempt }) => [state, attempt])).toEqual([
      ['completed', 1],
      ['completed', 1],
      ['completed', 1],
    ])
    expect(bench.written).toHaveLength(150)
  })

  test('whose outcome is recorded elsewhere is forgotten when it is done', async () => {
    using bench = new Workbench()
    const job = rowJob(() => undefined, { isKept: false })
    bench.enqueue(job, ['one'])
    await finish(bench.worker([job]))
    expect(bench.jobs).toEqual([])
  })
})

describe('a job of the database alone is taken', () => {
  /** What another connection sees of a job while it runs: what would be left if the process ended now. */
  async function seenWhileItRuns(at: 'before the start' | 'since the start'): Promise<Loose[]> {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-jobs-'))
    const path = join(folder, 'db.sqlite')
    const db = openDb(path, { synchronous: 'normal', cacheMib: 8 })
    migrate(db.sqlite, { clock: systemClock })
    const bench = new Workbench({ db })
    using other = new Database(path, { readonly: true })
    const seen: Loose[] = []
    const ran = Promise.withResolvers<void>()
    const job = rowJob(() => {
      seen.push(...other.query<Loose, []>('select state, attempt from jobs').all())
      ran.resolve()
    })
    const worker = bench.worker([job])
    if (at === 'since the start') worker.start()
    bench.enqueue(job, ['one'])
    if (at === 'before the start') worker.start()
    worker.wake()
    await ran.promise
    await worker.stop(1_000)
    expect(bench.jobs).toEqual([{ name: 'one', state: 'completed', attempt: 1 }])
    bench.close()
    rmSync(folder, { recursive: true, force: true })
    return seen
  }

  test('in the transaction that does it, so that nothing has to be taken up again after a process that ended', async () => {
    expect(await seenWhileItRuns('since the start')).toEqual([{ state: 'available', attempt: 0 }])
  })

  test('before it is done where it was there at the start, so that one that ends the process again and again is counted', async () => {
    expect(await seenWhileItRuns('before the start')).toEqual([{ state: 'executing', attempt: 1 }])
  })
})

describe('a process that ends', () => {
  /** Leaves jobs as a killed process leaves them: claimed and never finished. */
  const claimAndDie = (bench: Workbench, slots = 8): void =>
    void leaseJobs(bench.deps, chooseJobs(bench.deps, 'default', { slots, after: '' }))

  test('leaves orphans that the next one takes up at its start, the attempt counted', async () => {
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

  test('while the clock was wrong leaves nothing that waits out the time the clock was put back by', async () => {
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
    const dueIn = bench.rows<{ ms: number }>(`select scheduled_at_ms - ${bench.clock.nowMs()} as ms from jobs order by id`)
    expect(dueIn).toEqual([{ ms: 2 * HOUR_MS }, { ms: MINUTE_MS }])
    bench.clock.advance({ minutes: 1 })
    await finish(bench.worker([job]))
    expect(ran).toEqual(['soon'])
  })

  test('leaves leases that a running one takes over when they have expired', async () => {
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

  test('because of a job, again and again, does not run that job for ever', async () => {
    using bench = new Workbench()
    const job = waitingJob(async () => undefined, {
      maxAttempts: 3,
      whenDiscarded: (_tx, _ctx, { name }) => bench.write(`${name} given up`),
    })
    bench.enqueue(job, ['poison'])
    for (let life = 1; life <= 3; life += 1) {
      claimAndDie(bench)
      bench.deps.db.sqlite.run(`update jobs set state = 'available', lease_until_ms = null where state = 'executing'`)
    }
    await finish(bench.worker([job]))
    expect(bench.rows(`select state, json_extract(errors, '$[0].message') as reason from jobs`)).toEqual([
      { state: 'discarded', reason: 'the process ended during every attempt' },
    ])
    expect(bench.written).toEqual(['poison given up'])
  })

  test('keeps the leases of what it works on for as long as it works', async () => {
    using bench = new Workbench()
    const { job, started, seen, letGo } = heldJob()
    bench.enqueue(job, ['long'])
    const worker = bench.worker([job])
    const done = finish(worker)
    await seen
    const leaseOf = (): number => Number(bench.rows('select lease_until_ms as at from jobs')[0]?.['at'])
    const first = leaseOf()
    bench.clock.advance({ seconds: 20 })
    // Whatever makes the worker look again also renews what it holds.
    const other = finish(worker)
    expect(leaseOf()).toBe(first + 20_000)
    letGo('long')
    await Promise.all([done, other])
    expect(started).toEqual(['long'])
  })
})

describe('time and stopping', () => {
  test('a job that takes too long has its signal aborted, and the abort counts as a failure', async () => {
    using bench = new Workbench()
    const job = waitingJob(
      (ctx) =>
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error))
        }),
      { timeoutMs: 10 },
    )
    bench.enqueue(job, ['slow'])
    await finish(bench.worker([job]))
    expect(bench.rows(`select state, attempt, json_extract(errors, '$[0].message') as reason from jobs`)).toEqual([
      { state: 'retryable', attempt: 1, reason: 'took longer than 10 ms' },
    ])
  })

  test('a job that does not listen loses its slot and its lease; what it still does counts no more', async () => {
    using bench = new Workbench({ workers: 1 })
    const ran: string[] = []
    const released = Promise.withResolvers<void>()
    const job = waitingJob(
      async (_ctx, { name }) => {
        ran.push(name)
        if (name === 'stubborn') await released.promise
      },
      { timeoutMs: 10 },
    )
    bench.enqueue(job, ['stubborn', 'next'])
    const worker = bench.worker([job])
    await finish(worker)
    expect(ran).toEqual(['stubborn', 'next'])
    const reason = 'took longer than 10 ms and did not stop when it was told to'
    const state = { state: 'retryable', attempt: 1, reason }
    const read = () => bench.rows(`select state, attempt, json_extract(errors, '$[0].message') as reason from jobs order by id`)[0]
    expect(read()).toEqual(state)
    expect(bench.logLines.some((line) => line.includes('a job does not stop'))).toBe(true)
    released.resolve()
    await finish(worker)
    expect(read()).toEqual(state)
  })

  test('a stop lets what runs finish and claims nothing more', async () => {
    using bench = new Workbench({ workers: 1 })
    const { job, started, seen, letGo } = heldJob()
    bench.enqueue(job, ['running', 'waiting'])
    const worker = bench.worker([job])
    worker.start()
    await seen
    const stopped = worker.stop(10_000)
    letGo('running')
    await stopped
    expect(started).toEqual(['running'])
    expect(bench.states()).toEqual(['completed', 'available'])
  })

  test.each([
    ['listens to its signal', true],
    ['does not listen', false],
  ])('a job that is cut short by a stop and %s loses no attempt', async (_what, listens) => {
    using bench = new Workbench()
    const seen = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const job = waitingJob(async (ctx) => {
      seen.resolve()
      await new Promise<void>((resolve, reject) => {
        if (listens) ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error))
        else released.promise.then(resolve, reject)
      })
    })
    bench.enqueue(job, ['long'])
    const worker = bench.worker([job])
    worker.start()
    await seen.promise
    await worker.stop(10)
    expect(bench.jobs).toEqual([{ name: 'long', state: 'available', attempt: 0 }])
    released.resolve()
  })
})

describe('schedules', () => {
  test('enqueue their job once in every span, however many processes look', async () => {
    using bench = new Workbench()
    const job = defineJob({ name: 'tick', lane: 'default', args: Type.Object({}), run: async () => undefined })
    const schedule = defineSchedule('ticking', 15 * MINUTE_MS, job)
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

  test('by the calendar come at their hour in their zone, also when the clocks change, and not at the first start', async () => {
    using bench = new Workbench()
    const job = defineJob({ name: 'tick', lane: 'default', args: Type.Object({}), run: async () => undefined })
    const schedule = defineCalendarSchedule('nightly', { cron: '30 2 * * *', timeZone: 'Europe/Madrid' }, job)
    const worker = bench.worker([job as never], [schedule])
    const ran = (): string[] =>
      bench.rows<{ at: number }>('select created_at_ms as at from jobs order by id').map(({ at }) => new Date(at).toISOString())
    const moveTo = async (iso: string): Promise<void> => {
      bench.clock.advance({ ms: Date.parse(iso) - bench.clock.nowMs() })
      await finish(worker)
    }
    await finish(worker)
    expect(ran()).toEqual([])
    for (const iso of ['2026-11-22T01:29:59.999Z', '2026-11-22T01:30:00.000Z', '2026-11-22T23:00:00.000Z']) await moveTo(iso)
    // The hour that is left out in spring is made up for right after it; the one that comes twice in autumn counts once.
    for (const iso of ['2027-03-27T12:00:00Z', '2027-03-28T01:00:00Z', '2027-03-28T12:00:00Z']) await moveTo(iso)
    for (const iso of ['2027-10-30T12:00:00Z', '2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z']) await moveTo(iso)
    expect(ran()).toEqual([
      '2026-11-22T01:30:00.000Z',
      '2027-03-27T12:00:00.000Z',
      '2027-03-28T01:00:00.000Z',
      '2027-10-30T12:00:00.000Z',
      '2027-10-31T00:30:00.000Z',
    ])
  })

  test('are not done again by the next process, and say how the last one went and when the next one is', async () => {
    using bench = new Workbench()
    let isBroken = false
    const run = async (): Promise<void> => {
      if (isBroken) throw new Error('not today')
    }
    const job = defineJob({ name: 'tick', lane: 'default', args: Type.Object({}), run })
    const schedules = [defineSchedule('weekly', 7 * 24 * HOUR_MS, job)]
    await finish(bench.worker([job as never], schedules))
    expect(scheduleStates(bench.deps, schedules)).toMatchObject([
      { name: 'weekly', words: 'every 7 days', lastOutcome: 'completed', lastRunAtMs: bench.clock.nowMs() },
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

  test('are done once at a time that comes twice because the clock is put back by an hour, and none is lost', async () => {
    using bench = new Workbench()
    const named = (name: string) => defineJob({ name, lane: 'default', args: Type.Object({}), run: async () => undefined })
    const jobs = [named('nightly'), named('hourly'), named('often')] as const
    const schedules = [
      defineCalendarSchedule('nightly', { cron: '0 10 * * *', timeZone: 'UTC' }, jobs[0]),
      defineSchedule('hourly', HOUR_MS, jobs[1]),
      defineSchedule('often', MINUTE_MS, jobs[2]),
    ]
    const worker = bench.worker(jobs as never, schedules)
    const ran = (): Record<string, number> =>
      Object.fromEntries(
        bench.rows<{ kind: string; n: number }>('select kind, count(*) as n from jobs group by 1').map(({ kind, n }) => [kind, n]),
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

  test('pass a time over while the job of the time before is still under way', async () => {
    using bench = new Workbench()
    const [seen, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const run = async (): Promise<void> => {
      seen.resolve()
      await released.promise
    }
    const job = defineJob({ name: 'tick', lane: 'default', args: Type.Object({}), run })
    const worker = bench.worker([job as never], [defineSchedule('slow', MINUTE_MS, job)])
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
