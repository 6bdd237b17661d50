import { describe, expect, test } from 'bun:test'

import { MINUTE_MS } from '../../../src/lib/clock'
import { systemCtx } from '../../../src/infra/ctx'
import { transact } from '../../../src/infra/db/transact'
import { enqueue } from '../../../src/infra/jobs/enqueue'
import { finish, notingJob, Workbench } from '../../support/workbench'
import { changeRows } from '../../support/sql'
import { idNamed } from '../../support/ids'

describe('enqueueing', () => {
  test('is rolled back with the transaction of the caller', () => {
    using bench = new Workbench()
    const job = notingJob([])
    expect(() =>
      transact(bench.deps.db, (tx) => {
        enqueue(tx, systemCtx(bench.deps, idNamed('org-a')), job, { args: { name: 'one' } })
        throw new Error('the change failed')
      }),
    ).toThrow('the change failed')
    expect(bench.jobs).toEqual([])
  })

  test('rejects arguments that do not match the declaration', () => {
    using bench = new Workbench()
    expect(() => bench.enqueue(notingJob([]), [7 as unknown as string])).toThrow(
      'arguments of another shape',
    )
    expect(bench.jobs).toEqual([])
  })

  test('with a unique key happens once, even after the first job has ended', async () => {
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

  test('for later runs at the scheduled time', async () => {
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

  test('discards a job that is unknown or has invalid arguments in this version, and keeps it visible', async () => {
    using bench = new Workbench()
    const [unknown, unfit] = [notingJob([], { name: 'of.old' }), notingJob([])]
    bench.enqueue(unknown, ['unknown'])
    bench.enqueue(unfit, ['unfit'])
    bench.deps.db.sqlite.run(`update jobs set args = '{}' where kind = 'made.up'`)
    const [unread] = bench.enqueue(unfit, ['no JSON'])
    changeRows(bench.deps.db.sqlite, `update jobs set args = '{' where id = '${unread}'`)
    await finish(bench.worker([unfit]))
    expect(
      bench.rows(
        `select state, json_extract(errors, '$[0].message') as error from jobs order by id`,
      ),
    ).toEqual([
      { state: 'discarded', error: 'this version has no job named of.old' },
      { state: 'discarded', error: 'the job arguments are not valid in this version' },
      { state: 'discarded', error: 'the job arguments are not valid in this version' },
    ])
  })
})

describe('constraints of the table reject', () => {
  const row = (bench: Workbench, set: string): void =>
    void changeRows(bench.deps.db.sqlite, `update jobs set ${set}`)

  test.each([
    ['a state that is none', "state = 'lost'"],
    ['one that runs without a lease', "state = 'executing', attempt = 1, attempted_at_ms = 1"],
    ['one that runs and was never begun', "state = 'executing', lease_until_ms = 1"],
    ['one that ended at no time', "state = 'discarded'"],
    ['one that waits and has ended', 'finished_at_ms = 1'],
    ['a priority that is none', 'priority = 4'],
    [
      'success without a run',
      "state = 'completed', attempt = 1, attempted_at_ms = 1, finished_at_ms = 1",
    ],
    ['a second attempt without a first', "state = 'retryable', attempt = 1, attempted_at_ms = 1"],
  ])('%s', (_what, set) => {
    using bench = new Workbench()
    bench.enqueue(notingJob([]), ['one'])
    expect(() => row(bench, set)).toThrow('CHECK constraint failed')
    expect(bench.states()).toEqual(['available'])
  })

  test('a transition from completed to any other state', async () => {
    using bench = new Workbench()
    const job = notingJob([])
    bench.enqueue(job, ['one'])
    await finish(bench.worker([job]))
    for (const set of ["state = 'available', finished_at_ms = null", "state = 'discarded'"])
      expect(() => row(bench, set)).toThrow('a job does not go from that state to this one')
  })
})
