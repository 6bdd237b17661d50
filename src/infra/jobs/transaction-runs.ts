import type { Deps } from '../ctx'
import { isStorageError } from '../db/errors'
import { onCommit, savepoint, transact, type Tx } from '../db/transact'
import type { JobChoice } from './choose'
import { ctxOf, NEVER, type Completions, type JobResult } from './completions'
import { timeIsOver } from './concurrency'
import type { Queue } from './job'
import { batchesOf, leaseJobs, leaseJobsIn } from './lease'
import { failureOf, refusalOf, resultOf, type Result } from './record-result'
import type { JobRow } from './table'
import type { Work } from './work'

/** Runs transactional jobs, many in one transaction together with their completions. */
export class TransactionRuns {
  /** How many jobs of each queue fit into one transaction, learned from recent runs. */
  private readonly fits = new Map<Queue, number>()

  /** `finish` gets the results of jobs whose transaction was rolled back. */
  constructor(
    private readonly deps: Deps,
    private readonly works: ReadonlyMap<string, Work<unknown>>,
    private readonly completions: Completions,
    private readonly finish: (ended: JobResult) => void,
  ) {}

  /** Returns how many jobs of a queue fit into one transaction; `Infinity` before the first run. */
  limitOf(queue: Queue): number {
    return this.fits.get(queue) ?? Infinity
  }

  /** Claims jobs and runs them in the same transaction, up to `maxMs`. */
  claimAndRun(queue: Queue, choice: JobChoice, maxMs: number): void {
    let [offered, ran] = [0, 0]
    try {
      const run = (tx: Tx): void => {
        const isOver = timeIsOver(maxMs)
        offered = ran = 0
        for (const batch of batchesOf(choice)) {
          const rows = isOver() ? [] : leaseJobsIn(this.deps, batch)
          offered += isOver() ? batch.ids.length : rows.length
          ran += this.runAll(tx, rows, isOver)
        }
      }
      transact(this.deps.db, run, { sharesFlush: true })
      this.learn(queue, offered, ran)
    } catch (error) {
      if (isStorageError(error)) throw error // no job was claimed
      this.failAll(leaseJobs(this.deps, choice), error)
    }
  }

  /** Runs leased jobs in one transaction, up to `maxMs`. */
  runLeased(queue: Queue, rows: JobRow[], maxMs: number): void {
    try {
      const run = (tx: Tx): number => this.runAll(tx, rows, timeIsOver(maxMs))
      const ran = transact(this.deps.db, run, { sharesFlush: true })
      this.learn(queue, rows.length, ran)
    } catch (error) {
      if (isStorageError(error)) {
        // A storage error is not the job's fault, so it does not count as an attempt.
        for (const row of rows) this.finish(this.withWork(row, { kind: 'released' }))
        throw error
      }
      this.failAll(rows, error)
      this.learn(queue, rows.length, rows.length)
    }
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

  private failAll(rows: JobRow[], error: unknown): void {
    this.deps.log.error({ error }, 'batch of jobs not committed; retrying')
    for (const row of rows) this.finish(this.withWork(row, failureOf(this.deps, row, error)))
  }

  private withWork(row: JobRow, result: Result): JobResult {
    return { row, job: this.works.get(row.kind) ?? null, result }
  }

  /**
   * Runs jobs, each with its completion in a savepoint. Releases the jobs that exceed the time
   * limit, except the first, so a queue makes progress even if claiming alone takes too long.
   * Returns how many were run.
   */
  private runAll(tx: Tx, rows: JobRow[], isOver: () => boolean): number {
    let ran = 0
    const ended: JobResult[] = []
    for (const row of rows) {
      const isLate = ran > 0 && isOver()
      if (!isLate) ran += 1
      const one = this.withWork(row, isLate ? { kind: 'released' } : this.runOne(tx, row))
      this.completions.writeIn(tx, one)
      ended.push(one)
    }
    onCommit(tx, () => this.completions.count(ended))
    return ran
  }

  private runOne(tx: Tx, row: JobRow): Result {
    const job = this.works.get(row.kind)
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
}
