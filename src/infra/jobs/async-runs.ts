import type { Deps } from '../ctx'
import { isStorageError } from '../db/errors'
import { flushed } from '../db/transact'
import { ctxOf, type JobResult } from './completions'
import type { Queue } from './job'
import { failureOf, resultOf, type Result } from './record-result'
import type { JobRow } from './table'
import type { AsyncWork, Outcome } from './work'

/**
 * Pause of a job that could not store its result. It does not count as an attempt. Milliseconds.
 */
const STORAGE_PAUSE_MS = 2_000

/**
 * Grace period of a job that keeps running after its timeout. The grace period is never longer than
 * the timeout itself. Milliseconds.
 */
const MAX_GRACE_MS = 5_000

/** Time that aborted jobs get to end when the server stops, milliseconds. */
const ABORT_GRACE_MS = 500

interface Run {
  row: JobRow
  queue: Queue
  abort: AbortController
  done: Promise<void>
}

/** The async jobs that this process is running, each with a timeout and an abort signal. */
export class AsyncRuns {
  private readonly running = new Map<string, Run>()
  private isStopping = false

  /** `finish` gets the result of each run. */
  constructor(
    private readonly deps: Deps,
    private readonly finish: (ended: JobResult) => void,
  ) {}

  get size(): number {
    return this.running.size
  }

  get ids(): string[] {
    return [...this.running.keys()]
  }

  /** Returns the running jobs of a queue. */
  rowsOf(queue: Queue): JobRow[] {
    return [...this.running.values()].filter((run) => run.queue === queue).map(({ row }) => row)
  }

  /** Starts a leased job. */
  start(row: JobRow, job: AsyncWork<unknown>): void {
    const abort = new AbortController()
    const ended = Promise.withResolvers<void>()
    const end = (result: Result): void => {
      if (this.running.get(row.id)?.abort !== abort) return // its slot was freed before
      clearTimeout(timer)
      this.running.delete(row.id)
      this.finish({ row, job, result })
      ended.resolve()
    }
    const graceMs = Math.min(MAX_GRACE_MS, job.timeoutMs)
    let timer = setTimeout(() => {
      abort.abort(new Error(`took longer than ${job.timeoutMs} ms`))
      timer = setTimeout(() => end(this.unstoppedResult(row, job)), graceMs)
    }, job.timeoutMs)
    this.running.set(row.id, { row, queue: job.queue, abort, done: ended.promise })
    this.run(row, job, abort.signal).then(end, (error: unknown) =>
      end(failureOf(this.deps, row, error)),
    )
  }

  private async run(row: JobRow, job: AsyncWork<unknown>, signal: AbortSignal): Promise<Result> {
    try {
      return resultOf(this.deps, row, await this.attempt(row, job, signal), job.isKept)
    } catch (error) {
      if (this.isStopping && signal.aborted) return { kind: 'released' }
      if (isStorageError(error))
        return { kind: 'snoozed', untilMs: this.deps.clock.nowMs() + STORAGE_PAUSE_MS }
      this.deps.log.warn(
        { error, job_id: row.id, kind: row.kind, organization_id: row.organizationId },
        'job failed',
      )
      return failureOf(this.deps, row, error)
    }
  }

  /**
   * Waits until everything that the job follows from is on disk. Async, so that a job that throws
   * synchronously fails like any other.
   */
  private async attempt(
    row: JobRow,
    job: AsyncWork<unknown>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    if (!this.deps.db.logFlush.isDone) await flushed(this.deps.db)
    return await job.run(ctxOf(this.deps, row, signal), JSON.parse(row.args) as unknown)
  }

  /**
   * Returns the result of a job that keeps running after its abort. Its slot and lease are freed,
   * and its later result is ignored.
   */
  private unstoppedResult(row: JobRow, job: AsyncWork<unknown>): Result {
    this.deps.log.error(
      { job_id: row.id, kind: row.kind, organization_id: row.organizationId },
      'job did not stop; its slot was freed',
    )
    return failureOf(
      this.deps,
      row,
      new Error(`took longer than ${job.timeoutMs} ms and did not stop when aborted`),
    )
  }

  /** Resolves when one of the running jobs has ended. */
  async waitForOne(): Promise<void> {
    await Promise.race([...this.running.values()].map((run) => run.done))
  }

  /**
   * Waits `graceMs` for the running jobs, then aborts them. Returns the jobs that ignored their
   * signal; they end with the process.
   */
  async stop(graceMs: number): Promise<JobRow[]> {
    this.isStopping = true
    const all = Promise.allSettled([...this.running.values()].map((run) => run.done))
    let graceTimer: ReturnType<typeof setTimeout> | null = null
    const grace = new Promise<'late'>((resolve) => {
      graceTimer = setTimeout(() => resolve('late'), graceMs)
    })
    if ((await Promise.race([all, grace])) === 'late') {
      for (const run of this.running.values()) run.abort.abort(new Error('the server is stopping'))
      await Promise.race([all, new Promise((resolve) => setTimeout(resolve, ABORT_GRACE_MS))])
    }
    if (graceTimer) clearTimeout(graceTimer)
    return [...this.running.values()].map(({ row }) => row)
  }
}
