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
  partsOf,
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
 * Work enqueued by another process (the command line) is found this late at the latest,
 * milliseconds.
 */
const POLL_MS = 1_000
/** A clock put back by more than this is an event, milliseconds. */
const FAR_BACK_MS = 30_000

/**
 * A job that could not store what it came to sleeps so long; that counts as no attempt,
 * milliseconds.
 */
const TROUBLE_PAUSE_MS = 2_000

/** So often it is tried whether the database can be reached again, milliseconds. */
const TROUBLE_POLL_MS = 250
const HEARTBEAT_MS = LEASE_MS / 3

/**
 * A job that does not end when its time is over loses its slot after this or, if that is shorter,
 * as long as it was given, milliseconds.
 */
const STUBBORN_MS = 5_000

/** Jobs that were cut short get no longer than this to end, milliseconds. */
const LAST_MOMENT_MS = 500

/** Takes jobs from the table and runs them, queue by queue, until it is stopped. */
export class Worker {
  private readonly byName: Map<string, Work<unknown>>
  private readonly endings: Completions
  private readonly running = new Map<
    string,
    { row: JobRow; queue: Queue; abort: AbortController; done: Promise<void> }
  >()
  private readonly gates: Map<Queue, Gate>
  /** Queues with no job that waits for something outside. */
  private readonly databaseQueues: Set<Queue>
  /** The newest job there was when the process began. */
  private newestAtStart = ''
  private readonly turnAfter = new Map<Queue, string>()
  /**
   * So many jobs of the database alone the queue gets done in one transaction, by what it got done
   * lately.
   */
  private readonly fits = new Map<Queue, number>()
  /** Queues in which the last look failed. */
  private readonly brokenQueues = new Set<Queue>()
  /** What became available in the last turn, and where the next one goes on. */
  private staged: PromotedJobs = { jobs: 0, after: '' }
  /** When the first of the gates that are shut may open. */
  private gateOpensAtMs = Infinity
  private readonly seenSchedules: SeenSlots = new Map()
  private isAwake = false
  private isStopping = false
  private isStarted = false
  private timer: ReturnType<typeof setTimeout> | null = null
  private nextBeatMs = 0
  /** When the clock was looked at last: by itself, and by one that never jumps. */
  private lastLook = { nowMs: -Infinity, steadyMs: 0 }
  private turnEndedMs = 0
  private share = 1

  constructor(
    private readonly deps: Deps,
    jobs: Work[],
    private readonly schedules: Schedule[],
    gates: Gate[] = [],
  ) {
    this.endings = new Completions(deps)
    this.gates = new Map(gates.map((gate) => [gate.queue, gate]))
    this.byName = new Map(
      (jobs as unknown as Work<unknown>[]).map((job) => [job.name, job]), // each checks its own arguments
    )
    if (this.byName.size !== jobs.length) throw new Error('two jobs have the same name')
    this.databaseQueues = new Set(
      QUEUES.filter((queue) =>
        jobs.every((job) => job.queue !== queue || job.mode === 'transaction'),
      ),
    )
  }

  /** Takes over what an earlier process left behind and begins to work. */
  start(): void {
    const rescued = rescueOrphans(this.deps, 'all')
    if (rescued > 0) this.deps.log.info({ jobs: rescued }, 'resumed interrupted jobs')
    this.newestAtStart = newestJobId(this.deps)
    const backMs = aheadMs(this.deps)
    if (backMs > FAR_BACK_MS) this.followClockBack(backMs)
    this.isStarted = true
    this.wake()
  }

  /** Asks the worker to look for work after the current turn of the event loop. */
  wake(): void {
    if (!this.isStarted || this.isAwake || this.isStopping) return
    this.isAwake = true
    afterYield(() => {
      this.isAwake = false
      this.turn()
    })
  }

  /**
   * One look at the table: claims, runs what only touches the database, and sets the next alarm.
   */
  private turn(): void {
    if (this.isStopping) return
    this.share = shareAfter(this.deps, performance.now() - this.turnEndedMs)
    try {
      if (this.step() > 0) this.wake()
      this.setAlarm()
    } catch (error) {
      if (!isStorageError(error))
        this.deps.log.error({ error }, 'job worker could not reach the database; retrying')
      this.setTimer(TROUBLE_POLL_MS)
    }
    this.turnEndedMs = performance.now()
  }

  /** Looks again when the next job is due, after `POLL_MS` at the latest. */
  private setAlarm(): void {
    const nowMs = this.deps.clock.nowMs()
    const dueMs = Math.min(nextDueMs(this.deps) ?? Infinity, this.gateOpensAtMs)
    this.setTimer(Math.min(POLL_MS, Math.max(1, dueMs - nowMs)))
  }

  private setTimer(ms: number): void {
    if (this.timer) clearTimeout(this.timer)
    if (!this.isStopping) this.timer = setTimeout(() => this.turn(), ms)
  }

  /** Stages, claims and starts whatever can run now; returns how many jobs were taken. */
  step(): number {
    if (this.deps.db.storage.state) tryToWrite(this.deps.db)
    this.beat()
    enqueueDueSchedules(this.deps, this.schedules, this.seenSchedules)
    this.staged = promoteDueJobs(this.deps, this.staged.after)
    this.gateOpensAtMs = Infinity
    let taken = this.staged.jobs
    for (const queue of QUEUES) taken += this.tryQueue(queue)
    taken += this.endings.size
    this.endings.write()
    return taken
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
   * How far the clock stands behind where it should by now, if that is far, milliseconds; small
   * corrections come all the time.
   */
  private clockWentBack(nowMs: number): number {
    const steadyMs = performance.now()
    const expectedMs = this.lastLook.nowMs + (steadyMs - this.lastLook.steadyMs)
    this.lastLook = { nowMs, steadyMs }
    return expectedMs - nowMs > FAR_BACK_MS ? expectedMs - nowMs : 0
  }

  /**
   * What goes wrong in one queue keeps neither the others from their turn nor what came of jobs from
   * being written; the log says it once.
   */
  private tryQueue(queue: Queue): number {
    try {
      const taken = this.stepQueue(queue)
      this.brokenQueues.delete(queue)
      return taken
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
    if (this.areDoneAtOnce(queue, choice)) this.runAtOnce(queue, choice)
    else this.begin(queue, leaseJobs(this.deps, choice))
    return choice.ids.length + (choice.isPartial ? 1 : 0)
  }

  /**
   * Whether jobs are taken, done and ended in one transaction, so that nobody needs to know who has
   * taken them. Not those that were there when the process began: one of them may be what ended the
   * last one, and only a job that is leased first has its attempts counted then.
   */
  private areDoneAtOnce(queue: Queue, { ids }: Choice): boolean {
    return (
      ids.length > 0 && this.databaseQueues.has(queue) && ids.every((id) => id > this.newestAtStart)
    )
  }

  /** Takes jobs of the database alone and runs them in the same transaction. */
  private runAtOnce(queue: Queue, choice: Choice): void {
    let [offered, ran] = [0, 0]
    try {
      transact(this.deps.db, (tx) => {
        const isOver = timeIsOver(weightOf(queue) * this.share)
        offered = ran = 0
        for (const part of partsOf(choice)) {
          const rows = isOver() ? [] : leaseJobsIn(this.deps, part)
          offered += isOver() ? part.ids.length : rows.length
          ran += this.runAll(tx, rows, isOver)
        }
      })
      this.learn(queue, offered, ran)
    } catch (error) {
      if (isStorageError(error)) throw error // nobody has taken them
      this.failAll(leaseJobs(this.deps, choice), error)
    }
  }

  /**
   * Begins leased jobs: those that wait for something outside side by side, those of the database
   * alone in one transaction.
   */
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
   * Remembers how many jobs fit into one transaction: what is leased and given back is work for
   * nothing.
   */
  private learn(queue: Queue, offered: number, ran: number): void {
    if (offered === 0) return // another process ended them before they were taken
    this.fits.set(
      queue,
      ran < offered ? Math.max(1, ran) : Math.max(this.fits.get(queue) ?? 0, offered * 2),
    )
  }

  /** Runs leased jobs of the database alone, all in one transaction. Returns how many were run. */
  private runLeased(rows: JobRow[], longestMs: number): number {
    try {
      return transact(this.deps.db, (tx) => this.runAll(tx, rows, timeIsOver(longestMs)))
    } catch (error) {
      if (!isStorageError(error)) {
        this.failAll(rows, error)
        return rows.length
      }
      // It was no fault of theirs, so it counts as no attempt.
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
   * Runs jobs of the database alone in a transaction, each as a part of its own, its end included.
   * What the time does not suffice for is given back, but for the first: a queue in which taking
   * jobs alone lasts longer gets on all the same. Returns how many were run.
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
      this.endings.writeIn(tx, one)
      ended.push(one)
    }
    onCommit(tx, () => this.endings.count(ended))
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
      if (isStorageError(error)) throw error // the transaction is lost, for all of the batch
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
      if (this.running.get(row.id)?.abort !== abort) return // it was given up before
      clearTimeout(timer)
      this.running.delete(row.id)
      this.finish({ row, job, result })
      ended.resolve()
    }
    const graceMs = Math.min(STUBBORN_MS, job.timeoutMs)
    let timer = setTimeout(() => {
      abort.abort(new Error(`took longer than ${job.timeoutMs} ms`))
      timer = setTimeout(() => end(this.stubborn(row, job)), graceMs)
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
        return { kind: 'snoozed', untilMs: this.deps.clock.nowMs() + TROUBLE_PAUSE_MS }
      this.deps.log.warn(
        { error, job_id: row.id, kind: row.kind, organization_id: row.organizationId },
        'job failed',
      )
      return failureOf(this.deps, row, error)
    }
  }

  /**
   * What becomes of a job that goes on although it was told to stop: its slot and its lease are
   * given up, whatever it still does counts no more.
   */
  private stubborn(row: JobRow, job: AsyncWork<unknown>): Result {
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

  /** Async, so that a job that throws before it waits for anything fails like any other. */
  private async attempt(
    row: JobRow,
    job: AsyncWork<unknown>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    return await job.run(ctxOf(this.deps, row, signal), JSON.parse(row.args) as unknown)
  }

  /** Keeps what came of a job until the next turn, which writes all of that in one transaction. */
  private finish(ended: JobResult): void {
    this.endings.add(ended)
    this.wake()
  }

  /**
   * Runs everything that is due, and what that leads to, until nothing is left; for tests, which
   * never wait for time to pass.
   */
  async runUntilIdle(alsoDrain: () => number): Promise<void> {
    for (;;) {
      const drained = alsoDrain()
      const taken = this.step()
      if (this.running.size > 0)
        await Promise.race([...this.running.values()].map((run) => run.done))
      else if (this.brokenQueues.size > 0)
        throw new Error(`${[...this.brokenQueues].join()} stalled; see the log`)
      else if (drained === 0 && taken === 0 && this.endings.size === 0) return
    }
  }

  /**
   * Stops: claims nothing more, waits `graceMs` for what runs, then cuts it short; what was cut
   * runs again after the next start.
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
      await Promise.race([all, new Promise((resolve) => setTimeout(resolve, LAST_MOMENT_MS))])
    }
    if (graceTimer) clearTimeout(graceTimer)
    // Those that do not listen to their signal end with the process.
    for (const { row } of this.running.values())
      this.endings.add({ row, job: null, result: { kind: 'released' } })
    this.endings.write()
  }
}
