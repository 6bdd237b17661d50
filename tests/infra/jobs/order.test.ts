import { describe, expect, test } from 'bun:test'

import { HOUR_MS, SECOND_MS } from '../../../src/lib/clock'
import { systemCtx } from '../../../src/infra/ctx'
import { transact } from '../../../src/infra/db/transact'
import { endWaitingJobs, rekeyJobsIn } from '../../../src/infra/jobs/waiting-jobs'
import { chooseJobs } from '../../../src/infra/jobs/choose'
import { leaseJobs } from '../../../src/infra/jobs/lease'
import { finish, heldJob, notingJob, until, waitingJob, Workbench } from '../../support/workbench'
import { changeRows } from '../../support/sql'
import { LAST_UUID } from '../../../src/infra/db/uuid'
import { idNamed } from '../../support/ids'

describe('jobs of one ordering key', () => {
  test('run one at a time in the order they were enqueued, while other jobs run', async () => {
    using bench = new Workbench({ workers: 8 })
    const { job, started, seen, letGo } = heldJob()
    bench.enqueue(job, ['a1', 'a2', 'a3'], { orderingKey: 'a' })
    bench.enqueue(job, ['b1'], { orderingKey: 'b' })
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

  test('wait up to a minute for an earlier one that is retried', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const job = waitingJob(async (_ctx, { name }) => {
      ran.push(name)
      if (name === 'stuck') return { snoozeMs: HOUR_MS }
      return undefined
    })
    bench.enqueue(job, ['stuck', 'next'], { orderingKey: 'a' })
    const worker = bench.worker([job])
    await finish(worker)
    bench.clock.advance({ seconds: 59 })
    await finish(worker)
    expect(ran).toEqual(['stuck'])
    bench.clock.advance({ seconds: 1 })
    await finish(worker)
    expect(ran).toEqual(['stuck', 'next'])
  })

  test('do not wait for an earlier one that is scheduled for later', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const job = notingJob(ran)
    bench.enqueue(job, ['planned'], { orderingKey: 'a', runAtMs: bench.clock.nowMs() + HOUR_MS })
    bench.enqueue(job, ['now'], { orderingKey: 'a' })
    await finish(bench.worker([job]))
    expect(ran).toEqual(['now'])
  })

  test('never run concurrently, even if an earlier one becomes available while a later one runs', () => {
    using bench = new Workbench()
    const job = notingJob([])
    const at = { slots: 8, after: '' }
    const claim = (): string[] =>
      leaseJobs(bench.deps, chooseJobs(bench.deps, 'default', at)).map(
        ({ args }) => (JSON.parse(args) as { name: string }).name,
      )
    bench.enqueue(job, ['early', 'late'], { orderingKey: 'a' })
    expect(claim()).toEqual(['early'])
    bench.deps.db.sqlite.run(
      `update jobs set state = 'retryable', lease_until_ms = null where state = 'executing'`,
    )
    bench.clock.advance({ minutes: 2 })
    expect(claim()).toEqual(['late'])
    bench.deps.db.sqlite.run(`update jobs set state = 'available' where state = 'retryable'`)
    expect(claim()).toEqual([])
    bench.deps.db.sqlite.run(`delete from jobs where state = 'executing'`)
    expect(claim()).toEqual(['early'])
  })
})

describe('many jobs of one ordering key', () => {
  test('do not slow down the claims of other organizations', () => {
    using bench = new Workbench()
    const job = notingJob([])
    const crowd = Array.from({ length: 5_000 }, (_, nth) => `${nth}`)
    bench.enqueue(job, crowd, { orderingKey: 'one contact' })
    bench.enqueue(job, ['free'])
    const choice = chooseJobs(bench.deps, 'default', { slots: 64, after: '' })
    expect(
      leaseJobs(bench.deps, choice).map(({ args }) => (JSON.parse(args) as { name: string }).name),
    ).toEqual(['0', 'free'])
    expect(choice.isPartial).toBe(false)
    expect(bench.rows('select count(*) as n from jobs where is_blocked = 1')).toEqual([
      { n: 4_999 },
    ])
  })

  test('continue when IDs go back with the clock', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const job = notingJob(ran)
    const [late, early] = bench.enqueue(job, ['of the wrong time', 'of now'], { orderingKey: 'a' })
    changeRows(bench.deps.db.sqlite, `update jobs set id = '${LAST_UUID}' where id = '${late}'`)
    expect(bench.rows('select id, is_blocked from jobs order by id')).toEqual([
      { id: early, is_blocked: 1 },
      { id: LAST_UUID, is_blocked: 0 },
    ])
    await finish(bench.worker([job]))
    expect(ran).toEqual(['of the wrong time', 'of now'])
  })

  test('all run one at a time, however each of them ends', async () => {
    using bench = new Workbench({ workers: 3 })
    let seed = 7
    const below = (limit: number): number => (seed = (seed * 48_271) % 2_147_483_647) % limit
    const running = new Set<string>()
    const overlaps: string[] = []
    const job = waitingJob(
      async (ctx, { name }) => {
        const key =
          bench.rows<{ key: string }>(
            'select ordering_key as key from jobs where id = ?',
            ctx.jobId,
          )[0]?.key ?? ''
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
          orderingKey: key,
          ...(below(4) === 0 ? { runAtMs: bench.clock.nowMs() + below(90_000) } : {}),
        })
      const ctx = systemCtx(bench.deps, idNamed('org-a'))
      if (below(5) === 0)
        transact(bench.deps.db, (tx) =>
          endWaitingJobs(
            tx,
            ctx,
            { kind: job.name, orderingKeys: ['b'], args: { name: `b${round}` } },
            { state: 'cancelled', reason: 'off' },
          ),
        )
      if (below(7) === 0)
        transact(bench.deps.db, (tx) =>
          rekeyJobsIn(tx, ctx, {
            from: 'c',
            to: 'a',
            isMeant: (args) => (args as { name: string }).name.endsWith('+'),
          }),
        )
      if (round % 2 === 0) await finish(worker)
      bench.clock.advance({ seconds: below(40) })
    }
    for (
      let round = 0;
      round < 300 && bench.rows('select 1 from jobs where finished_at_ms is null').length > 0;
      round += 1
    ) {
      bench.clock.advance({ minutes: 2 })
      await finish(worker)
    }
    expect(bench.rows('select state, is_blocked from jobs where finished_at_ms is null')).toEqual(
      [],
    )
    expect(overlaps).toEqual([])
  })
})

describe('priorities', () => {
  test('decide which of an organization’s jobs runs first, then age; ordering keys keep their order', async () => {
    using bench = new Workbench({ workers: 1 })
    const ran: string[] = []
    const job = notingJob(ran)
    const urgent = notingJob(ran, { name: 'urgent', priority: 'high' })
    bench.enqueue(job, ['low'], { priority: 'low' })
    bench.enqueue(job, ['normal 1', 'normal 2'])
    bench.enqueue(urgent, ['high 1'])
    bench.enqueue(job, ['first'], { orderingKey: 'a', priority: 'low' })
    bench.enqueue(job, ['second'], { orderingKey: 'a', priority: 'high' })
    await finish(bench.worker([job, urgent]))
    expect(ran).toEqual(['high 1', 'normal 1', 'normal 2', 'low', 'first', 'second'])
  })
})
