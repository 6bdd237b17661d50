/**
 * Writes jobs into our table, works them off and prints how fast. A process of its own, with the
 * settings of the server.
 */
import { Type } from '@sinclair/typebox'

import { machine } from '../../../src/container'
import { systemCtx, type Deps } from '../../../src/infra/ctx'
import { openDb } from '../../../src/infra/db/connection'
import { transact } from '../../../src/infra/db/transact'
import { job } from '../../../src/infra/jobs/job'
import { workInTransaction } from '../../../src/infra/jobs/work'
import { enqueue } from '../../../src/infra/jobs/enqueue'
import { Worker } from '../../../src/infra/jobs/worker'
import { openLog } from '../../../src/infra/log'
import { createMetrics } from '../../../src/infra/metrics/metrics'
import { createProcessState } from '../../../src/process-state'
import { migrate } from '../../../src/infra/db/migrate'
import type { JobsDone } from './jobs'

async function run({ path, jobs }: { path: string; jobs: number }): Promise<JobsDone> {
  const around = machine()
  const db = openDb(path, { synchronous: 'full', cacheMib: 64 })
  migrate(db.sqlite, { clock: around.clock })
  const deps = {
    ...around,
    ...createProcessState(),
    db,
    metrics: createMetrics(),
    log: openLog({ level: 'error', format: 'json' }),
    settings: { workers: 4 },
  } as unknown as Deps // jobs need no more of it
  const done = Promise.withResolvers<void>()
  let left = jobs
  const nothing = workInTransaction(
    job('nothing', Type.Object({ nth: Type.Integer() }), { queue: 'inbound' }),
    () => {
      left -= 1
      if (left === 0) done.resolve()
    },
  )
  const worker = new Worker(deps, { workers: [nothing] })
  worker.start()
  const ctx = systemCtx(deps, '01900000-0000-7000-8000-000000000001')
  const startedMs = performance.now()
  for (let first = 0; first < jobs; first += 500)
    transact(db, (tx) => {
      for (let nth = first; nth < first + 500; nth += 1)
        enqueue(tx, ctx, nothing, { args: { nth } })
    })
  worker.wake()
  await done.promise
  const perSecond = jobs / ((performance.now() - startedMs) / 1_000)
  await worker.stop(1_000)
  return { perSecond }
}

if (import.meta.main) {
  console.log(
    JSON.stringify(
      await run(JSON.parse(process.argv[2] ?? '{}') as { path: string; jobs: number }),
    ),
  )
  process.exit(0)
}
