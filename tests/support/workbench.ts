import { Type } from '@sinclair/typebox'

import { systemCtx, type Deps, type JobCtx } from '../../src/infra/ctx'
import { wrapDb, type Db } from '../../src/infra/db/connection'
import { transact, type Tx } from '../../src/infra/db/transact'
import { EventLoop } from '../../src/infra/event-loop'
import { createMetrics } from '../../src/infra/metrics/metrics'
import { job, type Job, type Priority, type Queue } from '../../src/infra/jobs/job'
import {
  work,
  workInTransaction,
  type AsyncWork,
  type Gate,
  type Outcome,
  type TransactionWork,
} from '../../src/infra/jobs/work'
import { enqueue, type NewJob } from '../../src/infra/jobs/enqueue'
import type { Schedule } from '../../src/infra/jobs/define-schedule'
import { Worker } from '../../src/infra/jobs/worker'
import { openLog } from '../../src/infra/log'
import { countingIds, MovableClock } from './clock'
import type { Loose } from './client'
import { freshDatabase } from './world'
import { readRows, changeRows } from './sql'
import { idNamed, storedId } from './ids'

/** Arguments of the test jobs: a name to tell them apart. */
export const Named = Type.Object({ name: Type.String() })
interface Named {
  name: string
}

interface Options {
  queue?: Queue
  priority?: Priority
  maxAttempts?: number
  whenDiscarded?: (tx: Tx, ctx: JobCtx, args: Named, reason: string) => void
}

/** Creates an async job. */
export const waitingJob = (
  run: (ctx: JobCtx, args: Named) => Promise<Outcome>,
  options: Options & { name?: string; timeoutMs?: number } = {},
): AsyncWork<Named> => {
  const { name = 'made.up', queue = 'default', priority, maxAttempts, ...rest } = options
  return work(job(name, Named, { queue, ...given({ priority, maxAttempts }) }), run, rest)
}

/** The options that a test names. */
const given = (options: { priority?: Priority | undefined; maxAttempts?: number | undefined }) => ({
  ...(options.priority === undefined ? {} : { priority: options.priority }),
  ...(options.maxAttempts === undefined ? {} : { maxAttempts: options.maxAttempts }),
})

/** A job of the database alone. */
export const rowJob = (
  run: (tx: Tx, ctx: JobCtx, args: Named) => Outcome,
  options: Options & { name?: string; isKept?: boolean } = {},
): TransactionWork<Named> => {
  const { name = 'made.up', queue = 'inbound', priority, maxAttempts, ...rest } = options
  return workInTransaction(
    job(name, Named, { queue, ...given({ priority, maxAttempts }) }),
    run,
    rest,
  )
}

/** Creates a job that records its names in the order it runs. */
export function notingJob(
  ran: string[],
  options: Parameters<typeof waitingJob>[1] = {},
): AsyncWork<Named> {
  return waitingJob(async (_ctx, { name }) => void ran.push(name), options)
}

/** Creates a job that waits until the test releases it. */
export function heldJob(options: Parameters<typeof waitingJob>[1] = {}) {
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

/** Waits until `holds` returns true while other work runs. Throws after 20 seconds. */
export async function until(holds: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 20_000
  while (!holds()) {
    if (performance.now() > deadlineMs) throw new Error('it did not come so far')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The job and event mechanisms alone, on a real database with a movable clock. */
export class Workbench {
  readonly clock = new MovableClock(Date.UTC(2026, 10, 21, 9, 30))
  readonly logLines: string[] = []
  readonly deps: Deps
  /** The value that `random` returns. */
  chance = 0.5

  constructor(options: { workers?: number; db?: Db } = {}) {
    this.deps = {
      db: options.db ?? wrapDb(freshDatabase(), { synchronous: 'normal', cacheMib: 8 }),
      clock: this.clock,
      ids: countingIds(),
      random: () => this.chance,
      metrics: createMetrics(),
      log: openLog(
        { level: 'debug', format: 'json' },
        { write: (line: string) => void this.logLines.push(line) },
      ),
      eventLog: { logId: 'log', relayedUpTo: 0 },
      settings: { workers: options.workers ?? 4, realtimeLogHours: 24 },
      eventLoop: new EventLoop(),
    } as unknown as Deps // jobs and events need no more of it
    this.deps.db.sqlite.run('create table written (id integer primary key, text text not null)')
  }

  /** Creates a worker for these jobs, as in a process. */
  worker(
    jobs: readonly (AsyncWork<Named> | TransactionWork<Named>)[],
    schedules: Schedule[] = [],
    gates: Gate[] = [],
  ): Worker {
    return new Worker(this.deps, { workers: [...jobs], schedules, gates })
  }

  /** Enqueues jobs with these names in one transaction. */
  enqueue(
    job: Job<Named>,
    names: string[],
    what: Omit<NewJob<Named>, 'args'> = {},
    organizationId = idNamed('org-a'),
  ): string[] {
    const ctx = systemCtx(this.deps, organizationId)
    return transact(this.deps.db, (tx) =>
      names.map((name) => enqueue(tx, ctx, job, { args: { name }, ...what })),
    )
  }

  /**
   * Repeats the newest job `count` times, with later IDs, as if it had been enqueued repeatedly in
   * one transaction.
   */
  repeatNewest(count: number): void {
    const columns = this.rows(`select name from pragma_table_info('jobs') where name <> 'id'`).map(
      ({ name }) => String(name),
    )
    const ids = Array.from({ length: count }, () => this.deps.ids.next())
    changeRows(
      this.deps.db.sqlite,
      `with newest as (select * from jobs order by id desc limit 1)
       insert into jobs (id, ${columns.join(', ')}) select ${storedId('value')}, ${columns.join(', ')} from json_each(?), newest`,
      [JSON.stringify(ids)],
    )
  }

  /** Writes a row, to see whether it is rolled back. */
  write(text: string): void {
    changeRows(this.deps.db.sqlite, 'insert into written (text) values (?)', [text])
  }

  get written(): string[] {
    return this.rows('select text from written order by id').map(({ text }) => text as string)
  }

  rows<T = Loose>(query: string, ...values: (string | number)[]): T[] {
    return readRows<T>(this.deps.db.sqlite, query, values)
  }

  /** State and attempt of every job, oldest first. */
  get jobs(): { name: string; state: string; attempt: number }[] {
    return this.rows(
      `select json_extract(args, '$.name') as name, state, attempt from jobs order by id`,
    )
  }

  states(): string[] {
    return this.jobs.map(({ state }) => state)
  }

  close(): void {
    this.deps.db.sqlite.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** Runs everything that is due until nothing is left, without waiting for events. */
export const finish = (worker: Worker): Promise<void> => worker.runUntilIdle(() => 0)
