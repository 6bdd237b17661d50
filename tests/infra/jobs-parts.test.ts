import { expect, test } from 'bun:test'

import { rowJob, Workbench } from '../support/workbench'

const TURNS = 10

/** Has the database take longer to take a job than a lane may take of a turn: a disk that is slow, a machine that is busy. */
function takeLong(bench: Workbench): void {
  bench.deps.db.sqlite.run(`create temp trigger slow after update of state on main.jobs when new.state = 'executing' begin
    select max(n) from (with recursive count (n) as (select 1 union all select n + 1 from count where n < 100000) select n from count);
  end`)
}

test('a lane gets on where taking jobs lasts longer than it may take of a turn', () => {
  using bench = new Workbench()
  const ran: string[] = []
  const job = rowJob((_tx, _ctx, { name }) => void ran.push(name), { lane: 'inbound-account' })
  const worker = bench.worker([job])
  takeLong(bench)
  bench.enqueue(job, ['one', 'two', 'three'])
  for (let turn = 0; turn < TURNS && ran.length < 3; turn += 1) worker.step()
  expect(ran).toEqual(['one', 'two', 'three'])
})
