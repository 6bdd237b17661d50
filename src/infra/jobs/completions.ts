import { systemCtx, type Deps, type JobCtx } from '../ctx'
import { isStorageError } from '../db/errors'
import { onCommit, savepoint, transact, type Tx } from '../db/transact'
import type { JobRow } from './claim'
import { recordResult, type Result } from './record-result'
import { noteScheduledRun } from './schedule'
import type { Work } from './work'

/** The signal of jobs that nobody can stop in the middle. */
export const NEVER = new AbortController().signal

/** Runs whose end is written in one transaction. */
const AT_ONCE = 500

/** A run that is over. */
export interface JobResult {
  row: JobRow
  /** `null` when this version does not know the job. */
  job: Work<unknown> | null
  result: Result
}

/** The scope a run of a job has. */
export const ctxOf = (deps: Deps, row: JobRow, signal: AbortSignal): JobCtx => ({
  ...systemCtx(deps, row.organizationId),
  jobId: row.id,
  attempt: row.attempt,
  isLastAttempt: row.attempt >= row.maxAttempts,
  gateKey: row.gateKey,
  signal,
})

/**
 * What came of jobs: kept until it is written, many runs at a time, with all that follows from the
 * end of one.
 */
export class Completions {
  private readonly waiting: JobResult[] = []

  constructor(private readonly deps: Deps) {}

  get size(): number {
    return this.waiting.length
  }

  /** Keeps an end until it is written. */
  add(ended: JobResult): void {
    this.waiting.push(ended)
  }

  /**
   * Writes all that is kept. Throws when the database cannot be written; what is not written is
   * kept.
   */
  write(): void {
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, AT_ONCE)
      const areTold = batch.every(({ job }) => job?.mode === 'async' && job.isToldByRows)
      try {
        transact(
          this.deps.db,
          (tx) => {
            for (const ended of batch) this.writeIn(tx, ended)
          },
          { isFlushed: !areTold },
        )
        this.waiting.splice(0, batch.length)
        this.count(batch)
      } catch (error) {
        if (isStorageError(error)) throw error
        for (const _ of batch) this.writeOne()
      }
    }
  }

  /**
   * What cannot be written down of one job must not keep the others from going on: that one runs
   * again when its lease is over, the attempt counted.
   */
  private writeOne(): void {
    const [ended] = this.waiting
    if (!ended) return
    try {
      transact(this.deps.db, (tx) => this.writeIn(tx, ended))
      this.count([ended])
    } catch (error) {
      if (isStorageError(error)) throw error
      const { id, kind, organizationId } = ended.row
      this.deps.log.error(
        { error, job_id: id, kind, organization_id: organizationId },
        'job result not stored',
      )
    }
    this.waiting.shift()
  }

  /** Writes one end, in the caller's transaction; it is to be counted once that is committed. */
  writeIn(tx: Tx, { row, job, result }: JobResult): void {
    recordResult(tx, this.deps, row, result)
    noteScheduledRun(tx, this.deps, row, result)
    if (result.kind === 'discarded') this.giveUp(tx, row, job, result.reason)
  }

  /** Counts ends that are written. */
  count(written: JobResult[]): void {
    for (const { row, result } of written) this.countOne(row, result)
  }

  private countOne(row: JobRow, { kind: outcome }: Result): void {
    if (outcome === 'released' || outcome === 'gated') return
    const { jobs, jobDuration } = this.deps.metrics
    jobs.inc({ kind: row.kind, outcome })
    if (row.attemptedAtMs !== null)
      jobDuration.observe(
        { kind: row.kind },
        Math.max(0, this.deps.clock.nowMs() - row.attemptedAtMs) / 1_000,
      )
  }

  private giveUp(tx: Tx, row: JobRow, job: Work<unknown> | null, reason: string): void {
    const facts = {
      job_id: row.id,
      kind: row.kind,
      organization_id: row.organizationId,
      attempts: row.attempt,
    }
    onCommit(tx, () => this.deps.log.error(facts, 'job discarded after its last attempt'))
    if (!job?.whenDiscarded) return
    try {
      savepoint(tx, (inner) =>
        job.whenDiscarded?.(
          inner,
          ctxOf(this.deps, row, NEVER),
          JSON.parse(row.args) as unknown,
          reason,
        ),
      )
    } catch (error) {
      if (isStorageError(error)) throw error
      this.deps.log.error({ ...facts, error }, 'follow-up of a discarded job failed')
    }
  }
}
