/**
 * Writes jobs into the queue `plainjob`, works them off and prints how fast. A process of its own.
 */
import { Database } from 'bun:sqlite'

import { bun, defineQueue, defineWorker } from 'plainjob'

import type { JobsDone } from './jobs'

async function run({ path, jobs }: { path: string; jobs: number }): Promise<JobsDone> {
  const silent = {
    error: () => undefined,
    warn: () => undefined,
    info: () => undefined,
    debug: () => undefined,
  }
  const queue = defineQueue({
    connection: bun(new Database(path, { strict: true })),
    logger: silent,
  })
  const done = Promise.withResolvers<void>()
  let left = jobs
  const worker = defineWorker(
    'nothing',
    () => {
      left -= 1
      if (left === 0) done.resolve()
    },
    { queue, logger: silent },
  )
  const startedMs = performance.now()
  for (let first = 0; first < jobs; first += 500)
    queue.addMany(
      'nothing',
      Array.from({ length: 500 }, (_, nth) => ({ nth: first + nth })),
    )
  worker.start().catch((error: unknown) => done.reject(error))
  await done.promise
  return { perSecond: jobs / ((performance.now() - startedMs) / 1_000) }
}

if (import.meta.main) {
  console.log(
    JSON.stringify(
      await run(JSON.parse(process.argv[2] ?? '{}') as { path: string; jobs: number }),
    ),
  )
  process.exit(0)
}
