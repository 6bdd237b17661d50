import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { systemClock } from '../../../src/lib/clock'
import { openDb } from '../../../src/infra/db/connection'
import { migrate } from '../../../src/infra/db/migrate'
import type { Loose } from '../../support/client'
import { finish, rowJob, waitingJob, Workbench } from '../../support/workbench'
import { changeRows } from '../../support/sql'

describe('a transactional job', () => {
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

  test('is claimed and run in one transaction, also beside async jobs, and again after a pause of 0 ms', () => {
    using bench = new Workbench()
    const slow = waitingJob(() => Promise.resolve(), { name: 'slow' })
    const runs: number[] = []
    const once = (_tx: unknown, { attempt }: { attempt: number }) => {
      runs.push(attempt)
      return runs.length < 3 ? { snoozeMs: 0 } : undefined
    }
    const job = rowJob(once, { queue: 'default' })
    bench.enqueue(job, ['one'])
    const worker = bench.worker([job, slow])
    let transactions = 0
    bench.deps.db.watch = { took: () => (transactions += 1), busy: () => undefined }
    for (let step = 1; step <= 3; step += 1) {
      worker.step()
      expect({ runs: runs.length, transactions }).toEqual({ runs: step, transactions: step })
      expect(bench.states()).toEqual([step < 3 ? 'available' : 'completed'])
    }
    expect(runs).toEqual([1, 1, 1])
  })

  test('that fails does not affect the others of its batch', async () => {
    using bench = new Workbench()
    const names = Array.from({ length: 20 }, (_, nth) => `${nth}`)
    const job = rowJob((_tx, _ctx, { name }) => {
      bench.write(name)
      if (name === '7') throw new Error('bad')
    })
    bench.enqueue(job, names)
    await finish(bench.worker([job]))
    expect(bench.written).toEqual(names.filter((name) => name !== '7'))
    expect(bench.jobs.filter(({ state }) => state !== 'completed')).toEqual([
      { name: '7', state: 'retryable', attempt: 1 },
    ])
  })

  test('is retried with its batch when the commit fails', async () => {
    using bench = new Workbench()
    let isBroken = true
    const job = rowJob((_tx, _ctx, { name }) => {
      bench.write(name)
      // A deferred foreign key fails only at the commit.
      if (isBroken) bench.deps.db.sqlite.run('insert into children (parent) values (1)')
    })
    bench.deps.db.sqlite.run('create table parents (id integer primary key)')
    bench.deps.db.sqlite.run(
      'create table children (parent integer references parents (id) deferrable initially deferred)',
    )
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

  test('counts no attempt on a full disk, has no partial effect, and completes when there is space', async () => {
    using bench = new Workbench()
    const { sqlite } = bench.deps.db
    const job = rowJob((_tx, _ctx, { name }) => {
      for (let nth = 0; nth < 50; nth += 1) bench.write(`${name} ${'x'.repeat(4_000)}`)
    })
    bench.enqueue(job, ['one', 'two', 'three'])
    const worker = bench.worker([job])
    const pages =
      sqlite.query<{ page_count: number }, []>('pragma page_count').get()?.page_count ?? 0
    changeRows(sqlite, `pragma max_page_count = ${pages + 30}`)
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

  test('is deleted on completion if its outcome is recorded elsewhere', async () => {
    using bench = new Workbench()
    const job = rowJob(() => undefined, { isKept: false })
    bench.enqueue(job, ['one'])
    await finish(bench.worker([job]))
    expect(bench.jobs).toEqual([])
  })
})

describe('a transactional job is claimed', () => {
  /**
   * Returns what another connection sees of a job while it runs, which is what remains if the
   * process ends now.
   */
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

  test('in the transaction that runs it, so nothing has to be resumed after a crash', async () => {
    expect(await seenWhileItRuns('since the start')).toEqual([{ state: 'available', attempt: 0 }])
  })

  test('before it runs if it existed at startup, so that the attempts of a job that kills the process are counted', async () => {
    expect(await seenWhileItRuns('before the start')).toEqual([{ state: 'executing', attempt: 1 }])
  })
})
