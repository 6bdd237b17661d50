import { expect, test } from 'bun:test'

import { rowJob, Workbench } from '../../support/workbench'
import { idNamed } from '../../support/ids'

const TURNS = 10

/**
 * Makes the database take longer to lease a job than the time limit of a queue, as with a slow disk
 * or a busy machine.
 */
function takeLong(bench: Workbench): void {
  bench.deps.db.sqlite
    .run(`create temp trigger slow after update of state on main.jobs when new.state = 'executing' begin
    select max(n) from (with recursive count (n) as (select 1 union all select n + 1 from count where n < 100000) select n from count);
  end`)
}

test('a queue makes progress even if claiming exceeds its time limit', () => {
  using bench = new Workbench()
  const ran: string[] = []
  const job = rowJob((_tx, _ctx, { name }) => void ran.push(name), { queue: 'inbound-account' })
  const worker = bench.worker([job])
  takeLong(bench)
  bench.enqueue(job, ['one', 'two', 'three'])
  for (let turn = 0; turn < TURNS && ran.length < 3; turn += 1) worker.step()
  expect(ran).toEqual(['one', 'two', 'three'])
})

test('the job of a small organization does not wait until all jobs of a large one are claimed', () => {
  using bench = new Workbench()
  const taken: number[] = []
  const small = rowJob(
    () =>
      void taken.push(
        Number(bench.rows("select count(*) as n from jobs where state = 'executing'")[0]?.['n']),
      ),
    {
      name: 'small',
    },
  )
  const large = rowJob((_tx, _ctx, { name }) => bench.write(name), { name: 'large' })
  const worker = bench.worker([small, large])
  bench.enqueue(
    large,
    Array.from({ length: 30 }, (_, nth) => String(nth)),
    {},
    idNamed('org-large'),
  )
  bench.enqueue(small, ['one'], {}, idNamed('org-small'))
  for (let turn = 0; turn < TURNS && bench.written.length < 2; turn += 1) worker.step()
  expect(taken).toEqual([2])
  expect(bench.written.length).toBeGreaterThan(1)
})
