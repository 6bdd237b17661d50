import { isStorageError } from '../db/errors'
import { tryToWrite } from '../db/transact'
import type { Deps } from '../ctx'
import { AT_ONCE, Loop, type Next } from '../loop'
import { AsyncRuns } from './async-runs'
import { chooseJobs, type JobChoice } from './choose'
import { ClockWatch, newestJobId } from './clock-change'
import { Completions, type JobResult } from './completions'
import { begunAtOnce, limitsOf, shareAfter, timeLimitOf, widthOf } from './concurrency'
import { QUEUES, type Queue } from './job'
import { filledQueues } from './queue-state'
import { extendLeases, LEASE_MS, leaseJobs, rescueOrphans } from './lease'
import { nextDueMs, promoteDueJobs, type PromotedJobs } from './promote-scheduled'
import { refusalOf } from './record-result'
import { enqueueDueSchedules, type SeenSlots } from './schedule'
import { type Schedule } from './define-schedule'
import type { JobRow } from './table'
import { TransactionRuns } from './transaction-runs'
import type { Gate, Work } from './work'

/**
 * Maximum delay before the worker finds jobs enqueued by another process (the command line),
 * milliseconds.
 */
const POLL_MS = 1_000

const HEARTBEAT_MS = LEASE_MS / 3

/** Claims jobs from the table and runs them, queue by queue, until it is stopped. */
export class Worker {
  private readonly works: Map<string, Work<unknown>>
  private readonly completions: Completions
  private readonly asyncRuns: AsyncRuns
  private readonly transactionRuns: TransactionRuns
  private readonly clockWatch: ClockWatch
  private readonly loop: Loop
  private readonly gates: Map<Queue, Gate>
  private readonly schedules: Schedule[]
  /** ID of the newest job at startup. */
  private newestAtStart = ''
  /** The organization that each queue served last. */
  private readonly servedLast = new Map<Queue, string>()
  /** Queues whose last step failed. */
  private readonly stalledQueues = new Set<Queue>()
  /** Result of the last promotion of scheduled jobs, and where the next one continues. */
  private promoted: PromotedJobs = { jobs: 0, after: '' }
  /** When the first closed gate may open. */
  private gateOpensAtMs = Infinity
  private readonly seenSchedules: SeenSlots = new Map()
  private nextHeartbeatMs = 0
  private lastStepEndedMs = 0
  /** Share of their time limit that batches get while requests are served. */
  private share = 1

  constructor(
    private readonly deps: Deps,
    {
      workers: works,
      schedules = [],
      gates = [],
    }: { workers: Work[]; schedules?: Schedule[]; gates?: Gate[] },
    /** Whether the jobs of an organization in a queue wait. */
    private readonly isHeld: (organizationId: string, queue: Queue) => boolean = () => false,
  ) {
    this.schedules = schedules
    this.gates = new Map(gates.map((gate) => [gate.queue, gate]))
    this.works = new Map(
      (works as unknown as Work<unknown>[]).map((work) => [work.name, work]), // each job checks its own arguments
    )
    if (this.works.size !== works.length) throw new Error('two jobs have the same name')
    const finish = (ended: JobResult): void => this.finish(ended)
    this.completions = new Completions(deps)
    this.asyncRuns = new AsyncRuns(deps, finish)
    this.transactionRuns = new TransactionRuns(deps, this.works, this.completions, finish)
    this.clockWatch = new ClockWatch(deps)
    this.loop = new Loop(deps.log, () => this.turn(), {
      failure: 'job worker could not reach the database',
    })
  }

  /** Rescues jobs of an earlier process and starts working. */
  start(): void {
    const rescued = rescueOrphans(this.deps, 'all')
    if (rescued > 0) this.deps.log.info({ jobs: rescued }, 'resumed interrupted jobs')
    this.newestAtStart = newestJobId(this.deps)
    this.clockWatch.checkAtStart()
    this.loop.start()
  }

  /** Makes the worker look for jobs after the current work. */
  wake(): void {
    this.loop.wake()
  }

  /** Runs one step. The next one follows when the next job is due, at most `POLL_MS` from now. */
  private turn(): Next {
    this.share = shareAfter(this.deps, performance.now() - this.lastStepEndedMs)
    try {
      if (this.step() > 0) return AT_ONCE
      const dueMs = Math.min(nextDueMs(this.deps) ?? Infinity, this.gateOpensAtMs)
      return { waitMs: Math.min(POLL_MS, Math.max(1, dueMs - this.deps.clock.nowMs())) }
    } finally {
      this.lastStepEndedMs = performance.now()
    }
  }

  /** Promotes, claims and starts everything that can run now. Returns how many jobs it handled. */
  step(): number {
    if (this.deps.db.storage.state) tryToWrite(this.deps.db)
    this.heartbeat()
    enqueueDueSchedules(this.deps, this.schedules, this.seenSchedules)
    this.promoted = promoteDueJobs(this.deps, this.promoted.after)
    this.gateOpensAtMs = Infinity
    let handled = this.promoted.jobs
    handled += this.stepQueues()
    handled += this.completions.size
    this.completions.write()
    return handled
  }

  /** Runs one step of each queue with jobs that may start, also of those that an earlier one fills. */
  private stepQueues(): number {
    let handled = 0
    let filled = filledQueues(this.deps.db)
    for (const queue of QUEUES) {
      if (!filled.has(queue)) {
        this.stalledQueues.delete(queue)
        continue
      }
      handled += this.tryQueue(queue)
      filled = filledQueues(this.deps.db)
    }
    return handled
  }

  private heartbeat(): void {
    const nowMs = this.deps.clock.nowMs()
    const wentBack = this.clockWatch.check(nowMs)
    if (!wentBack && nowMs < this.nextHeartbeatMs) return
    this.nextHeartbeatMs = nowMs + HEARTBEAT_MS
    extendLeases(this.deps, this.asyncRuns.ids)
    rescueOrphans(this.deps, 'expired')
  }

  /**
   * Runs one step of a queue. An error is logged once and affects neither the other queues nor the
   * recording of results.
   */
  private tryQueue(queue: Queue): number {
    try {
      const handled = this.stepQueue(queue)
      this.stalledQueues.delete(queue)
      return handled
    } catch (error) {
      if (isStorageError(error)) throw error
      if (!this.stalledQueues.has(queue))
        this.deps.log.error({ error, queue }, 'job queue stalled; retrying')
      this.stalledQueues.add(queue)
      return 0
    }
  }

  private stepQueue(queue: Queue): number {
    const running = this.asyncRuns.rowsOf(queue)
    const width = widthOf(queue, this.deps.settings.workers)
    const slots = Math.min(
      width - running.length,
      this.transactionRuns.limitOf(queue),
      begunAtOnce(queue),
    )
    if (slots <= 0) return 0
    const isHeld = (organizationId: string): boolean => this.isHeld(organizationId, queue)
    const limits = limitsOf(this.deps, { queue, gate: this.gates.get(queue), running, isHeld })
    const after = this.servedLast.get(queue) ?? ''
    const choice = chooseJobs(this.deps, queue, { slots, after, limits })
    this.servedLast.set(queue, choice.after)
    this.gateOpensAtMs = Math.min(this.gateOpensAtMs, limits.nextAtMs())
    const maxMs = timeLimitOf(queue) * this.share
    if (this.canRunInOneTransaction(choice)) this.transactionRuns.claimAndRun(queue, choice, maxMs)
    else this.begin(queue, leaseJobs(this.deps, choice), maxMs)
    return choice.ids.length + (choice.isPartial ? 1 : 0)
  }

  /**
   * Whether jobs are claimed, run and completed in one transaction, so no lease is committed: jobs
   * that only use the database. Not for jobs from before this process started: one of them may have
   * ended the previous process, and only leased jobs have their attempts counted in that case.
   */
  private canRunInOneTransaction({ ids, kinds }: JobChoice): boolean {
    return (
      ids.length > 0 &&
      [...kinds].every((kind) => this.works.get(kind)?.mode === 'transaction') &&
      ids.every((id) => id > this.newestAtStart)
    )
  }

  /** Starts leased jobs: async ones concurrently, transactional ones in one transaction. */
  private begin(queue: Queue, rows: JobRow[], maxMs: number): void {
    const batch: JobRow[] = []
    for (const row of rows) {
      const work = this.works.get(row.kind)
      if (work?.mode === 'async' && refusalOf(row, work) === null) this.asyncRuns.start(row, work)
      else batch.push(row)
    }
    if (batch.length > 0) this.transactionRuns.runLeased(queue, batch, maxMs)
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
      if (this.asyncRuns.size > 0) await this.asyncRuns.waitForOne()
      else if (this.stalledQueues.size > 0)
        throw new Error(`${[...this.stalledQueues].join()} stalled; see the log`)
      else if (drained === 0 && handled === 0 && this.completions.size === 0) return
    }
  }

  /**
   * Stops the worker: claims nothing more, waits `graceMs` for running jobs, then aborts them.
   * Aborted jobs run again after the next start.
   */
  async stop(graceMs: number): Promise<void> {
    this.loop.stop()
    for (const row of await this.asyncRuns.stop(graceMs))
      this.completions.add({ row, job: null, result: { kind: 'released' } })
    this.completions.write()
  }
}
