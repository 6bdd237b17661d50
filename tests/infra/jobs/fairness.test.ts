import { describe, expect, test } from 'bun:test'

import { HOUR_MS } from '../../../src/lib/clock'
import { QUEUES } from '../../../src/infra/jobs/job'
import { oldestDueMs } from '../../../src/infra/jobs/inspect'
import {
  finish,
  heldJob,
  notingJob,
  rowJob,
  until,
  waitingJob,
  Workbench,
} from '../../support/workbench'
import { idNamed } from '../../support/ids'
import { changeRows } from '../../support/sql'

describe('fairness', () => {
  test('a full queue does not use the slots of other queues', async () => {
    using bench = new Workbench({ workers: 2 })
    const held = heldJob({ name: 'slow', queue: 'default' })
    const ran: string[] = []
    const quick = QUEUES.filter((queue) => queue !== 'default').map((queue) =>
      notingJob(ran, { name: `quick.${queue}`, queue }),
    )
    bench.enqueue(held.job, ['s1', 's2', 's3', 's4'])
    for (const job of quick) bench.enqueue(job, [job.queue])
    const done = finish(bench.worker([held.job, ...quick]))
    await held.seen
    await until(() => ran.length === quick.length)
    expect(ran.toSorted()).toEqual(quick.map(({ queue }) => queue).toSorted())
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
      idNamed('org-a'),
    )
    bench.enqueue(job, ['few-0', 'few-1'], {}, idNamed('org-b'))
    await finish(bench.worker([job]))
    expect(ran).toHaveLength(1_002)
    expect(Math.max(ran.indexOf('few-0'), ran.indexOf('few-1'))).toBeLessThan(8)
    expect(ran.filter((name) => name.startsWith('many-'))).toEqual(
      Array.from({ length: 1_000 }, (_, nth) => `many-${nth}`),
    )
  })

  test('an organization with many slow jobs leaves slots for others', async () => {
    using bench = new Workbench({ workers: 2 })
    const { job, started, letGo } = heldJob()
    const slow = Array.from({ length: 20 }, (_, nth) => `slow-${nth}`)
    bench.enqueue(job, slow, {}, idNamed('org-a'))
    const worker = bench.worker([job])
    const done = finish(worker)
    await until(() => started.length === 2)
    bench.enqueue(job, ['quick'], {}, idNamed('org-b'))
    const again = finish(worker)
    await until(() => started.includes('quick'))
    expect(started).toEqual(['slow-0', 'slow-1', 'quick'])
    for (let nth = 0; nth < 21; nth += 1) {
      await until(() => started.length > nth)
      letGo(String(started[nth]))
    }
    await Promise.all([done, again])
  })

  test('a job starts in the next step even if another organization has 100,000 waiting jobs', async () => {
    using bench = new Workbench()
    const begun: string[] = []
    let at = 0
    const small = rowJob((_tx, _ctx, { name }) => void begun.push(name), {
      name: 'small',
      isKept: false,
    })
    const large = rowJob(
      (_tx, _ctx, { name }) => {
        begun.push(name)
        at += 1
        // Asked for in the middle of a turn, every hundredth time.
        if (at % 100 === 0 && at <= 2_000)
          bench.enqueue(small, [`small ${at}`], {}, idNamed('org-b'))
      },
      { name: 'large', isKept: false },
    )
    bench.enqueue(large, ['large'], {}, idNamed('org-a'))
    changeRows(
      bench.deps.db.sqlite,
      `with recursive nth (n) as (select 1 union all select n + 1 from nth where n < 99999)
       insert into jobs (id, kind, queue, state, organization_id, args, max_attempts, scheduled_at_ms, created_at_ms)
       select unhex(printf('ff%030x', n)), 'large', 'inbound', 'available', '${idNamed('org-a')}', '{"name":"large"}', 20, 0, 0 from nth`,
    )
    const worker = bench.worker([small, large])
    for (let turn = 0; turn < 200 && at < 2_500; turn += 1) worker.step()
    expect(begun.filter((name) => name !== 'large')).toHaveLength(20)
    // Number of other jobs started between enqueueing and starting: at most the rest of the batch.
    const between = begun.flatMap((name, index) => {
      if (name === 'large') return []
      const askedAt = Number(name.slice('small '.length))
      return [begun.slice(0, index).filter((other) => other === 'large').length - askedAt]
    })
    expect(Math.max(...between)).toBeLessThan(64)
  })

  test('100,000 jobs due at the same time do not delay the job of another organization', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const small = rowJob((_tx, _ctx, { name }) => void ran.push(name), {
      name: 'small',
      queue: 'default',
      isKept: false,
    })
    const large = rowJob((_tx, _ctx, { name }) => void ran.push(name), {
      name: 'large',
      queue: 'inbound',
      isKept: false,
    })
    bench.enqueue(
      large,
      ['large'],
      { runAtMs: bench.clock.nowMs() + HOUR_MS },
      idNamed('org-large'),
    )
    bench.repeatNewest(99_999)
    bench.enqueue(
      small,
      ['small'],
      { runAtMs: bench.clock.nowMs() + HOUR_MS + 1 },
      idNamed('org-small'),
    )
    bench.clock.advance({ hours: 1, ms: 1 })
    const worker = bench.worker([small, large])
    worker.step()
    expect(ran).toContain('small')
    expect(
      bench.rows("select count(*) as n from jobs where state = 'scheduled'")[0]?.['n'],
    ).toBeGreaterThan(99_000)
    for (let turn = 0; turn < 10; turn += 1) worker.step()
    expect(ran.length).toBeGreaterThan(10)
    await worker.stop(0)
  })

  test('all due jobs are promoted in turns when there are more than one step promotes', async () => {
    using bench = new Workbench()
    const ran: string[] = []
    const job = rowJob((_tx, _ctx, { name }) => void ran.push(name), { isKept: false })
    const runAtMs = bench.clock.nowMs() + HOUR_MS
    for (let nth = 0; nth < 1_200; nth += 1)
      bench.enqueue(job, [`${nth}`], { runAtMs: runAtMs + (nth % 2) }, idNamed(`org-${nth}`))
    bench.enqueue(
      job,
      Array.from({ length: 500 }, (_, nth) => `many ${nth}`),
      { runAtMs },
      idNamed('org-many'),
    )
    bench.clock.advance({ hours: 1, ms: 1 })
    await finish(bench.worker([job]))
    expect(new Set(ran).size).toBe(1_700)
    expect(ran.length).toBe(1_700)
  })

  test('organizations take turns when there are more of them than slots', async () => {
    using bench = new Workbench({ workers: 2 })
    const ran: string[] = []
    const job = notingJob(ran)
    const organizations = Array.from({ length: 100 }, (_, nth) =>
      idNamed(`org-${String(nth).padStart(3, '0')}`),
    )
    for (const organization of organizations)
      bench.enqueue(job, [organization, organization], {}, organization)
    await finish(bench.worker([job]))
    expect(ran.slice(0, 100).toSorted()).toEqual(organizations)
    expect(ran.slice(100).toSorted()).toEqual(organizations)
  })

  test('a queue never runs more jobs at once than its width', async () => {
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

test('the age of the oldest due job is found quickly with many waiting jobs', () => {
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
  bench.enqueue(job, ['more'])
  bench.repeatNewest(49_999)
  expect(tookMs()).toBeLessThan(aloneMs * 5 + 20)
})
