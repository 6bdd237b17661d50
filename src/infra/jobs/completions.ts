import { systemCtx, type Deps, type JobCtx } from '../ctx'
import { isStorageError } from '../db/errors'
import { onCommit, savepoint, transact, type Tx } from '../db/transact'
import type { JobRow } from './table'
import { recordResult, type Result } from './record-result'
import { recordScheduledRun } from './schedule'
import type { Work } from './work'

/** A signal that never aborts, for transactional jobs. */
export const NEVER = new AbortController().signal

/** Results written in one transaction. */
const BATCH_SIZE = 500

/** A finished run of a job. */
export interface JobResult {
  row: JobRow
  /** `null` if this version does not know the job. */
  job: Work<unknown> | null
  result: Result
}

/** Returns the context of a job run. */
export const ctxOf = (deps: Deps, row: JobRow, signal: AbortSignal): JobCtx => ({
  ...systemCtx(deps, row.organizationId),
  jobId: row.id,
  attempt: row.attempt,
  isLastAttempt: row.attempt >= row.maxAttempts,
  gateKey: row.gateKey,
  signal,
})

/** Collects job results and writes them in batches, together with their follow-up work. */
export class Completions {
  private readonly waiting: JobResult[] = []

  constructor(private readonly deps: Deps) {}

  get size(): number {
    return this.waiting.length
  }

  /** Queues a result. */
  add(ended: JobResult): void {
    this.waiting.push(ended)
  }

  /**
   * Writes all queued results. Throws if the database cannot be written; unwritten results stay
   * queued.
   */
  write(): void {
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, BATCH_SIZE)
      const areRecordedByRows = batch.every(
        ({ job }) => job?.mode === 'async' && job.isResultInRows,
      )
      try {
        transact(
          this.deps.db,
          (tx) => {
            for (const ended of batch) this.writeIn(tx, ended)
          },
          { isFlushed: !areRecordedByRows },
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
   * Writes the first result alone, so that a result that cannot be stored does not block the
   * others. That job runs again when its lease expires, with the attempt counted.
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

  /** Writes one result in the caller's transaction. Call `count` after the commit. */
  writeIn(tx: Tx, { row, job, result }: JobResult): void {
    recordResult(tx, this.deps, row, result)
    recordScheduledRun(tx, this.deps, row, result)
    if (result.kind === 'discarded') this.discard(tx, row, job, result.reason)
  }

  /** Counts written results in the metrics. */
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

  private discard(tx: Tx, row: JobRow, job: Work<unknown> | null, reason: string): void {
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
