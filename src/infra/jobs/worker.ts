import { SECOND_MS } from '../../lib/clock'
import { isStorageError } from '../db/errors'
import { onCommit, savepoint, transact, tryToWrite, type Tx } from '../db/transact'
import type { Deps } from '../ctx'
import { afterYield } from '../event-loop'
import { boundsOf, shareAfter, timeIsOver, weightOf, widthOf } from './concurrency'
import {
  aheadMs,
  chooseJobs,
  heartbeat,
  LEASE_MS,
  leaseJobs,
  leaseJobsIn,
  newestJobId,
  batchesOf,
  rescheduleAfterClockChange,
  rescueOrphans,
  type Choice,
  type JobRow,
} from './claim'
import { QUEUES, type Queue } from './job'
import { ctxOf, Completions, NEVER, type JobResult } from './completions'
import { failureOf, refusalOf, resultOf, type Result } from './record-result'
import { enqueueDueSchedules, type Schedule, type SeenSlots } from './schedule'
import { nextDueMs, promoteDueJobs, type PromotedJobs } from './promote-scheduled'
import type { AsyncWork, Gate, Outcome, Work } from './work'

/**
 * Maximum delay before the worker finds jobs enqueued by another process (the command line),
 * milliseconds.
 */
const POLL_MS = 1_000
/** The worker reschedules jobs when the clock moves back by more than this, milliseconds. */
const FAR_BACK_MS = 30_000

/**
 * Pause of a job that could not store its result. It does not count as an attempt. Milliseconds.
 */
const STORAGE_PAUSE_MS = 2_000

/** Retry interval while the database cannot be reached, milliseconds. */
const STORAGE_POLL_MS = 250
const HEARTBEAT_MS = LEASE_MS / 3

/**
 * Grace period of a job that keeps running after its timeout. The grace period is never longer than
 * the timeout itself. Milliseconds.
 */
const MAX_GRACE_MS = 5_000

/** Time that aborted jobs get to end when the server stops, milliseconds. */
const ABORT_GRACE_MS = 500

/** Claims jobs from the table and runs them, queue by queue, until it is stopped. */
export class Worker {
  private readonly byName: Map<string, Work<unknown>>
  private readonly completions: Completions
  private readonly running = new Map<
    string,
    { row: JobRow; queue: Queue; abort: AbortController; done: Promise<void> }
  >()
  private readonly gates: Map<Queue, Gate>
  /** Queues whose jobs all use only the database. */
  private readonly databaseQueues: Set<Queue>
  /** ID of the newest job at startup. */
  private newestAtStart = ''
  private readonly turnAfter = new Map<Queue, string>()
  /**
   * How many transactional jobs of each queue fit into one transaction, learned from recent runs.
   */
  private readonly fits = new Map<Queue, number>()
  /** Queues whose last step failed. */
  private readonly brokenQueues = new Set<Queue>()
  /** Result of the last promotion of scheduled jobs, and where the next one continues. */
  private promoted: PromotedJobs = { jobs: 0, after: '' }
  /** When the first closed gate may open. */
  private gateOpensAtMs = Infinity
  private readonly seenSchedules: SeenSlots = new Map()
  private isAwake = false
  private isStopping = false
  private isStarted = false
  private timer: ReturnType<typeof setTimeout> | null = null
  private nextBeatMs = 0
  /** Last reading of the system clock and of a monotonic clock. */
  private lastReading = { nowMs: -Infinity, steadyMs: 0 }
  private turnEndedMs = 0
  private share = 1

  constructor(
    private readonly deps: Deps,
    jobs: Work[],
    private readonly schedules: Schedule[],
    gates: Gate[] = [],
  ) {
    this.completions = new Completions(deps)
    this.gates = new Map(gates.map((gate) => [gate.queue, gate]))
    this.byName = new Map(
      (jobs as unknown as Work<unknown>[]).map((job) => [job.name, job]), // each job checks its own arguments
    )
    if (this.byName.size !== jobs.length) throw new Error('two jobs have the same name')
    this.databaseQueues = new Set(
      QUEUES.filter((queue) =>
        jobs.every((job) => job.queue !== queue || job.mode === 'transaction'),
      ),
    )
  }

  /** Rescues jobs of an earlier process and starts working. */
  start(): void {
    const rescued = rescueOrphans(this.deps, 'all')
    if (rescued > 0) this.deps.log.info({ jobs: rescued }, 'resumed interrupted jobs')
    this.newestAtStart = newestJobId(this.deps)
    const backMs = aheadMs(this.deps)
    if (backMs > FAR_BACK_MS) this.followClockBack(backMs)
    this.isStarted = true
    this.wake()
  }

  /** Makes the worker look for jobs after the current work. */
  wake(): void {
    if (!this.isStarted || this.isAwake || this.isStopping) return
    this.isAwake = true
    afterYield(() => {
      this.isAwake = false
      this.turn()
    })
  }

  /** Runs one step and schedules the next one. */
  private turn(): void {
    if (this.isStopping) return
    this.share = shareAfter(this.deps, performance.now() - this.turnEndedMs)
    try {
      if (this.step() > 0) this.wake()
      this.setAlarm()
    } catch (error) {
      if (!isStorageError(error))
        this.deps.log.error({ error }, 'job worker could not reach the database; retrying')
      this.setTimer(STORAGE_POLL_MS)
    }
    this.turnEndedMs = performance.now()
  }

  /** Schedules the next step for when the next job is due, at most `POLL_MS` from now. */
  private setAlarm(): void {
    const nowMs = this.deps.clock.nowMs()
    const dueMs = Math.min(nextDueMs(this.deps) ?? Infinity, this.gateOpensAtMs)
    this.setTimer(Math.min(POLL_MS, Math.max(1, dueMs - nowMs)))
  }

  private setTimer(ms: number): void {
    if (this.timer) clearTimeout(this.timer)
    if (!this.isStopping) this.timer = setTimeout(() => this.turn(), ms)
  }

  /** Promotes, claims and starts everything that can run now. Returns how many jobs it handled. */
  step(): number {
    if (this.deps.db.storage.state) tryToWrite(this.deps.db)
    this.beat()
    enqueueDueSchedules(this.deps, this.schedules, this.seenSchedules)
    this.promoted = promoteDueJobs(this.deps, this.promoted.after)
    this.gateOpensAtMs = Infinity
    let handled = this.promoted.jobs
    for (const queue of QUEUES) handled += this.tryQueue(queue)
    handled += this.completions.size
    this.completions.write()
    return handled
  }

  private beat(): void {
    const nowMs = this.deps.clock.nowMs()
    const backMs = this.clockWentBack(nowMs)
    if (backMs > 0) this.followClockBack(backMs)
    else if (nowMs < this.nextBeatMs) return
    this.nextBeatMs = nowMs + HEARTBEAT_MS
    heartbeat(this.deps, [...this.running.keys()])
    rescueOrphans(this.deps, 'expired')
  }

  private followClockBack(backMs: number): void {
    const facts = {
      seconds: Math.round(backMs / SECOND_MS),
      jobs: rescheduleAfterClockChange(this.deps, backMs),
    }
    this.deps.log.warn(facts, 'system clock moved back; rescheduled jobs')
  }

  /**
   * Returns how far the clock moved back since the last reading, in milliseconds, or 0 for small
   * corrections.
   */
  private clockWentBack(nowMs: number): number {
    const steadyMs = performance.now()
    const expectedMs = this.lastReading.nowMs + (steadyMs - this.lastReading.steadyMs)
    this.lastReading = { nowMs, steadyMs }
    return expectedMs - nowMs > FAR_BACK_MS ? expectedMs - nowMs : 0
  }

  /**
   * Runs one step of a queue. An error is logged once and affects neither the other queues nor the
   * recording of results.
   */
  private tryQueue(queue: Queue): number {
    try {
      const handled = this.stepQueue(queue)
      this.brokenQueues.delete(queue)
      return handled
    } catch (error) {
      if (isStorageError(error)) throw error
      if (!this.brokenQueues.has(queue))
        this.deps.log.error(
          { error, queue },
          'a queue of jobs stands still; the others go on, and it is tried again',
        )
      this.brokenQueues.add(queue)
      return 0
    }
  }

  private stepQueue(queue: Queue): number {
    const running = [...this.running.values()]
      .filter((run) => run.queue === queue)
      .map(({ row }) => row)
    const width = widthOf(queue, this.deps.settings.workers)
    const slots = Math.min(width - running.length, this.fits.get(queue) ?? width)
    if (slots <= 0) return 0
    const bounds = boundsOf(this.deps, { queue, gate: this.gates.get(queue), running })
    const choice = chooseJobs(this.deps, queue, {
      slots,
      after: this.turnAfter.get(queue) ?? '',
      bounds,
    })
    this.turnAfter.set(queue, choice.after)
    this.gateOpensAtMs = Math.min(this.gateOpensAtMs, bounds.nextAtMs())
    if (this.canRunInOneTransaction(queue, choice)) this.runInOneTransaction(queue, choice)
    else this.begin(queue, leaseJobs(this.deps, choice))
    return choice.ids.length + (choice.isPartial ? 1 : 0)
  }

  /**
   * Whether jobs are claimed, run and completed in one transaction, so no lease is committed. Not
   * for jobs from before this process started: one of them may have ended the previous process, and
   * only leased jobs have their attempts counted in that case.
   */
  private canRunInOneTransaction(queue: Queue, { ids }: Choice): boolean {
    return (
      ids.length > 0 && this.databaseQueues.has(queue) && ids.every((id) => id > this.newestAtStart)
    )
  }

  /** Claims transactional jobs and runs them in the same transaction. */
  private runInOneTransaction(queue: Queue, choice: Choice): void {
    let [offered, ran] = [0, 0]
    try {
      transact(this.deps.db, (tx) => {
        const isOver = timeIsOver(weightOf(queue) * this.share)
        offered = ran = 0
        for (const batch of batchesOf(choice)) {
          const rows = isOver() ? [] : leaseJobsIn(this.deps, batch)
          offered += isOver() ? batch.ids.length : rows.length
          ran += this.runAll(tx, rows, isOver)
        }
      })
      this.learn(queue, offered, ran)
    } catch (error) {
      if (isStorageError(error)) throw error // no job was claimed
      this.failAll(leaseJobs(this.deps, choice), error)
    }
  }

  /** Starts leased jobs: async ones concurrently, transactional ones in one transaction. */
  private begin(queue: Queue, rows: JobRow[]): void {
    const batch: JobRow[] = []
    for (const row of rows) {
      const job = this.byName.get(row.kind)
      if (job?.mode === 'async' && refusalOf(row, job) === null) this.launch(row, job)
      else batch.push(row)
    }
    if (batch.length > 0)
      this.learn(queue, batch.length, this.runLeased(batch, weightOf(queue) * this.share))
  }

  /**
   * Adapts how many jobs fit into one transaction, so that few are leased and then released unrun.
   */
  private learn(queue: Queue, offered: number, ran: number): void {
    if (offered === 0) return // another process ended them first
    this.fits.set(
      queue,
      ran < offered ? Math.max(1, ran) : Math.max(this.fits.get(queue) ?? 0, offered * 2),
    )
  }

  /** Runs leased transactional jobs in one transaction. Returns how many were run. */
  private runLeased(rows: JobRow[], maxMs: number): number {
    try {
      return transact(this.deps.db, (tx) => this.runAll(tx, rows, timeIsOver(maxMs)))
    } catch (error) {
      if (!isStorageError(error)) {
        this.failAll(rows, error)
        return rows.length
      }
      // A storage error is not the job's fault, so it does not count as an attempt.
      for (const row of rows)
        this.finish({ row, job: this.byName.get(row.kind) ?? null, result: { kind: 'released' } })
      throw error
    }
  }

  private failAll(rows: JobRow[], error: unknown): void {
    this.deps.log.error({ error }, 'batch of jobs not committed; retrying')
    for (const row of rows)
      this.finish({
        row,
        job: this.byName.get(row.kind) ?? null,
        result: failureOf(this.deps, row, error),
      })
  }

  /**
   * Runs transactional jobs, each with its completion in a savepoint. Releases the jobs that exceed
   * the time limit, except the first, so a queue makes progress even if claiming alone takes too
   * long. Returns how many were run.
   */
  private runAll(tx: Tx, rows: JobRow[], isOver: () => boolean): number {
    let ran = 0
    const ended: JobResult[] = []
    for (const row of rows) {
      const job = this.byName.get(row.kind)
      const isLate = ran > 0 && isOver()
      if (!isLate) ran += 1
      const one: JobResult = {
        row,
        job: job ?? null,
        result: isLate ? { kind: 'released' } : this.runInTransaction(tx, row, job),
      }
      this.completions.writeIn(tx, one)
      ended.push(one)
    }
    onCommit(tx, () => this.completions.count(ended))
    return ran
  }

  private runInTransaction(tx: Tx, row: JobRow, job: Work<unknown> | undefined): Result {
    const refusal = refusalOf(row, job)
    if (job?.mode !== 'transaction' || refusal !== null)
      return { kind: 'discarded', reason: refusal ?? 'unknown job' }
    try {
      const outcome = savepoint(tx, (inner) =>
        job.run(inner, ctxOf(this.deps, row, NEVER), JSON.parse(row.args) as unknown),
      )
      return resultOf(this.deps, row, outcome, job.isKept)
    } catch (error) {
      if (isStorageError(error)) throw error // the whole transaction is lost
      this.deps.log.error(
        { error, job_id: row.id, kind: row.kind, organization_id: row.organizationId },
        'job failed',
      )
      return failureOf(this.deps, row, error)
    }
  }

  private launch(row: JobRow, job: AsyncWork<unknown>): void {
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
    this.runAlone(row, job, abort.signal).then(end, (error: unknown) =>
      end(failureOf(this.deps, row, error)),
    )
  }

  private async runAlone(
    row: JobRow,
    job: AsyncWork<unknown>,
    signal: AbortSignal,
  ): Promise<Result> {
    try {
      return resultOf(this.deps, row, await this.attempt(row, job, signal), true)
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

  /** Async, so that a job that throws synchronously fails like any other. */
  private async attempt(
    row: JobRow,
    job: AsyncWork<unknown>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    return await job.run(ctxOf(this.deps, row, signal), JSON.parse(row.args) as unknown)
  }

  /** Queues a result for the next step, which writes all results in one transaction. */
  private finish(ended: JobResult): void {
    this.completions.add(ended)
    this.wake()
  }

  /**
   * Runs everything that is due, and all jobs that result from it, until none is left. For tests,
   * which do not wait for time to pass.
   */
  async runUntilIdle(alsoDrain: () => number): Promise<void> {
    for (;;) {
      const drained = alsoDrain()
      const handled = this.step()
      if (this.running.size > 0)
        await Promise.race([...this.running.values()].map((run) => run.done))
      else if (this.brokenQueues.size > 0)
        throw new Error(`${[...this.brokenQueues].join()} stalled; see the log`)
      else if (drained === 0 && handled === 0 && this.completions.size === 0) return
    }
  }

  /**
   * Stops the worker: claims nothing more, waits `graceMs` for running jobs, then aborts them.
   * Aborted jobs run again after the next start.
   */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true
    if (this.timer) clearTimeout(this.timer)
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
    // Jobs that ignore their signal end with the process.
    for (const { row } of this.running.values())
      this.completions.add({ row, job: null, result: { kind: 'released' } })
    this.completions.write()
  }
}
