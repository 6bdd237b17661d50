import { describe, expect, test } from 'bun:test'

import { finish, rowJob, waitingJob, Workbench } from '../../support/workbench'
import { changeRows } from '../../support/sql'

/**
 * Calls `happen` once, after jobs were chosen and before the transaction that leases them begins,
 * as if another process held the database.
 */
function beforeTaking(bench: Workbench, happen: () => void): void {
  const { orm } = bench.deps.db
  const transaction = orm.transaction.bind(orm)
  orm.transaction = ((...given: Parameters<typeof transaction>) => {
    orm.transaction = transaction
    happen()
    return transaction(...given)
  }) as typeof transaction
}

/** Discards a job as `jobs discard` does beside a server. */
const discard = (bench: Workbench, name: string): void => {
  const ended = `update jobs set state = 'discarded', finished_at_ms = ? where json_extract(args, '$.name') = ?`
  changeRows(bench.deps.db.sqlite, ended, [bench.clock.nowMs(), name])
}

const KINDS = {
  'of the database alone': (ran: string[]) => rowJob((_tx, _ctx, { name }) => void ran.push(name)),
  'that wait for something outside': (ran: string[]) =>
    waitingJob(async (_ctx, { name }) => void ran.push(name)),
}

describe.each(Object.entries(KINDS))(
  'jobs %s, of which another process ends one between their being chosen and taken,',
  (_kind, define) => {
    test('continue in their queue', async () => {
      using bench = new Workbench()
      const ran: string[] = []
      const job = define(ran)
      const worker = bench.worker([job])
      bench.enqueue(job, ['one'])
      beforeTaking(bench, () => discard(bench, 'one'))
      await finish(worker)
      bench.enqueue(job, ['two'])
      await finish(worker)
      expect(ran).toEqual(['two'])
    })

    test('continue behind their ordering key', async () => {
      using bench = new Workbench()
      const ran: string[] = []
      const job = define(ran)
      bench.enqueue(job, ['one', 'two', 'three'], { orderingKey: 'key' })
      // as if they had become due together
      bench.deps.db.sqlite.run('update jobs set is_blocked = 0')
      beforeTaking(bench, () => discard(bench, 'one'))
      await finish(bench.worker([job]))
      expect(ran).toEqual(['two', 'three'])
    })

    test('continue past a job that was blocked', async () => {
      using bench = new Workbench()
      const ran: string[] = []
      const job = define(ran)
      bench.enqueue(job, ['one', 'two', 'three'], { orderingKey: 'key' })
      bench.deps.db.sqlite.run('update jobs set is_blocked = 0')
      beforeTaking(bench, () => discard(bench, 'two'))
      await finish(bench.worker([job]))
      expect(ran).toEqual(['one', 'three'])
    })
  },
)
