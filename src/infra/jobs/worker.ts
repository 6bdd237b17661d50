import { SECOND_MS } from '../../lib/clock'
import { isStorageTrouble, savepoint, transact, transactUnflushed, tryToWrite, type Tx } from '../db'
import { systemCtx, type Deps } from '../ctx'
import { afterOthers, mayBeAsked } from '../turns'
import { boundsOf, timeIsOver, weightOf, widthOf } from './bounds'
import { aheadMs, claimJobs, heartbeat, LEASE_MS, pullForward, rescueOrphans, type JobRow } from './claim'
import { LANES, type AsyncJob, type Gate, type JobCtx, type JobDefinition, type Lane, type Outcome, type TransactionJob } from './define'
import { failureOf, recordResult, resultOf, type Result } from './record'
import { enqueueDueSchedules, noteScheduledRun, type Schedule, type SeenSlots } from './schedule'
import { nextDueMs, stageDueJobs, type Staged } from './staging'

/**
 * While others have work too a batch is shorter, in the measure of how long theirs took, down to this part: requests that wait come first.
 * What they did between two turns in less than `HARDLY_ANYTHING_MS` is not worth making room for.
 */
const SMALLEST_SHARE = 1 / 3
const WHOLE_SHARE_MS = 30
const HARDLY_ANYTHING_MS = 2

/** The signal of jobs that nobody can stop in the middle. */
const NEVER = new AbortController().signal

/** Work enqueued by another process (the command line) is found this late at the latest, milliseconds. */
const POLL_MS = 1_000
/** A clock put back by more than this is an event, milliseconds. */
const FAR_BACK_MS = 30_000

/** A job that could not store what it came to sleeps so long; that counts as no attempt, milliseconds. */
const TROUBLE_PAUSE_MS = 2_000

/** So often it is tried whether the database can be reached again, milliseconds. */
const TROUBLE_POLL_MS = 250
const HEARTBEAT_MS = LEASE_MS / 3

/** A job that does not end when its time is over loses its slot after this or, if that is shorter, as long as it was given, milliseconds. */
const STUBBORN_MS = 5_000

/** Jobs that were cut short get no longer than this to end, milliseconds. */
const LAST_MOMENT_MS = 500

interface Finished {
  row: JobRow
  job: JobDefinition | null
  result: Result
}

/** What is done in each turn before the jobs. */
export interface Feed {
  /** Does some of it, for the part of its time it gets: below 1 while others want the event loop. Returns how much it did. */
  move(share: number): number
  /** It left others the event loop and wants its turn in so long, milliseconds; `null` when it put nothing off. */
  readonly putOffMs: number | null
  /** Whether so much has come in since its last turn that whoever brings it waits for answers. */
  readonly isFlooded: boolean
}

/** Takes jobs from the table and runs them, lane by lane, until it is stopped. */
export class Worker {
  private readonly byName: Map<string, JobDefinition>
  private readonly running = new Map<string, { row: JobRow; lane: Lane; abort: AbortController; done: Promise<void> }>()
  private readonly gates: Map<Lane, Gate>
  private readonly turnAfter = new Map<Lane, string>()
  /** So many jobs of the database alone the lane gets done in one transaction, by what it got done lately. */
  private readonly fits = new Map<Lane, number>()
  /** What became available in the last turn, and where the next one goes on. */
  private staged: Staged = { jobs: 0, after: '' }
  /** When the first of the gates that are shut may open. */
  private gateOpensAtMs = Infinity
  private readonly seenSchedules: SeenSlots = new Map()
  private readonly finished: Finished[] = []
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
    jobs: JobDefinition[],
    private readonly schedules: Schedule[],
    gates: Gate[] = [],
    private readonly feed: Feed = { move: () => 0, putOffMs: null, isFlooded: false },
  ) {
    this.gates = new Map(gates.map((gate) => [gate.lane, gate]))
    this.byName = new Map(jobs.map((job) => [job.name, job]))
    if (this.byName.size !== jobs.length) throw new Error('two jobs have the same name')
  }

  /** Takes over what an earlier process left behind and begins to work. */
  start(): void {
    const rescued = rescueOrphans(this.deps, 'all')
    if (rescued > 0) this.deps.log.info({ jobs: rescued }, 'jobs of an earlier run were taken up again')
    const backMs = aheadMs(this.deps)
    if (backMs > FAR_BACK_MS) this.followClockBack(backMs)
    this.isStarted = true
    this.wake()
  }

  /** Asks the worker to look for work after the current turn of the event loop. */
  wake(): void {
    if (!this.isStarted || this.isAwake || this.isStopping) return
    this.isAwake = true
    afterOthers(() => {
      this.isAwake = false
      this.turn()
    })
  }

  /** One look at the table: claims, runs what only touches the database, and sets the next alarm. */
  private turn(): void {
    if (this.isStopping) return
    this.share = this.feed.isFlooded ? SMALLEST_SHARE : shareAfter(performance.now() - this.turnEndedMs)
    try {
      if (this.step() > 0) this.wake()
      this.setAlarm(this.feed.putOffMs ?? POLL_MS)
    } catch (error) {
      if (!isStorageTrouble(error)) this.deps.log.error({ error }, 'the job worker could not reach the database; it tries again')
      this.setTimer(TROUBLE_POLL_MS)
    }
    this.turnEndedMs = performance.now()
  }

  /** Looks again when the next job is due, after `longestMs` at the latest. */
  private setAlarm(longestMs: number): void {
    const nowMs = this.deps.clock.nowMs()
    const dueMs = Math.min(nextDueMs(this.deps) ?? Infinity, this.gateOpensAtMs)
    this.setTimer(Math.min(longestMs, Math.max(1, dueMs - nowMs)))
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
    this.staged = stageDueJobs(this.deps, this.staged.after)
    this.gateOpensAtMs = Infinity
    let taken = this.staged.jobs + this.feed.move(this.share)
    for (const lane of LANES) taken += this.stepLane(lane)
    taken += this.finished.length
    this.flush()
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
    const facts = { seconds: Math.round(backMs / SECOND_MS), jobs: pullForward(this.deps, backMs) }
    this.deps.log.warn(facts, 'the clock was put back; what was planned by the wrong time is due earlier')
  }

  /** How far the clock stands behind where it should by now, if that is far, milliseconds; small corrections come all the time. */
  private clockWentBack(nowMs: number): number {
    const steadyMs = performance.now()
    const expectedMs = this.lastLook.nowMs + (steadyMs - this.lastLook.steadyMs)
    this.lastLook = { nowMs, steadyMs }
    return expectedMs - nowMs > FAR_BACK_MS ? expectedMs - nowMs : 0
  }

  private stepLane(lane: Lane): number {
    const running = [...this.running.values()].filter((run) => run.lane === lane).map(({ row }) => row)
    const width = widthOf(lane, this.deps.settings.workers)
    const slots = Math.min(width - running.length, this.fits.get(lane) ?? width)
    if (slots <= 0) return 0
    const bounds = boundsOf(this.deps, { lane, gate: this.gates.get(lane), running })
    const { rows, after, isPartial } = claimJobs(this.deps, lane, { slots, after: this.turnAfter.get(lane) ?? '', bounds })
    this.turnAfter.set(lane, after)
    this.gateOpensAtMs = Math.min(this.gateOpensAtMs, bounds.nextAtMs())
    const batch: { row: JobRow; job: TransactionJob }[] = []
    for (const row of rows) {
      const job = this.byName.get(row.kind)
      const refusal = refusalOf(row, job)
      if (refusal !== null || !job) this.finish({ row, job: job ?? null, result: { kind: 'discarded', reason: refusal ?? 'unknown job' } })
      else if (job.mode === 'transaction') batch.push({ row, job })
      else this.launch(row, job)
    }
    if (batch.length > 0) this.learn(lane, batch.length, this.runBatch(batch, weightOf(lane) * this.share))
    return rows.length + (isPartial ? 1 : 0)
  }

  /** Remembers how many jobs fit into one transaction: what is leased and given back is work for nothing. */
  private learn(lane: Lane, taken: number, ran: number): void {
    this.fits.set(lane, ran < taken ? Math.max(1, ran) : Math.max(this.fits.get(lane) ?? 0, taken * 2))
  }

  /**
   * Runs jobs of the database alone: all in one transaction, each in a savepoint of its own, completion included. What the time does not
   * suffice for is given back. Returns how many were run.
   */
  private runBatch(batch: { row: JobRow; job: TransactionJob }[], longestMs: number): number {
    const isOver = timeIsOver(longestMs)
    let ran = 0
    try {
      transact(this.deps.db, (tx) => {
        for (const { row, job } of batch) {
          const isLate = isOver()
          if (!isLate) ran += 1
          this.record(tx, { row, job, result: isLate ? { kind: 'released' } : this.runInTransaction(tx, row, job) })
        }
      })
    } catch (error) {
      // It was no fault of theirs, so it counts as no attempt.
      const isTrouble = isStorageTrouble(error)
      if (!isTrouble) this.deps.log.error({ error }, 'a batch of jobs could not be committed; it is tried again')
      for (const { row, job } of batch)
        this.finish({ row, job, result: isTrouble ? { kind: 'released' } : failureOf(this.deps, row, error) })
      if (isTrouble) throw error
    }
    return ran
  }

  private runInTransaction(tx: Tx, row: JobRow, job: TransactionJob): Result {
    try {
      const outcome = savepoint(tx, (inner) => job.run(inner, this.ctxOf(row, NEVER), JSON.parse(row.args) as unknown))
      return resultOf(this.deps, row, outcome, job.isKept)
    } catch (error) {
      if (isStorageTrouble(error)) throw error // the transaction is lost, for all of the batch
      this.deps.log.error({ error, job_id: row.id, kind: row.kind, organization_id: row.organizationId }, 'job failed')
      return failureOf(this.deps, row, error)
    }
  }

  private launch(row: JobRow, job: AsyncJob): void {
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
    this.running.set(row.id, { row, lane: job.lane, abort, done: ended.promise })
    this.runAlone(row, job, abort.signal).then(end, (error: unknown) => end(failureOf(this.deps, row, error)))
  }

  private async runAlone(row: JobRow, job: AsyncJob, signal: AbortSignal): Promise<Result> {
    try {
      return resultOf(this.deps, row, await this.attempt(row, job, signal), true)
    } catch (error) {
      if (this.isStopping && signal.aborted) return { kind: 'released' }
      if (isStorageTrouble(error)) return { kind: 'snoozed', untilMs: this.deps.clock.nowMs() + TROUBLE_PAUSE_MS }
      this.deps.log.warn({ error, job_id: row.id, kind: row.kind, organization_id: row.organizationId }, 'job failed')
      return failureOf(this.deps, row, error)
    }
  }

  /** What becomes of a job that goes on although it was told to stop: its slot and its lease are given up, whatever it still does counts no more. */
  private stubborn(row: JobRow, job: AsyncJob): Result {
    this.deps.log.error(
      { job_id: row.id, kind: row.kind, organization_id: row.organizationId },
      'a job does not stop; its slot is free again',
    )
    return failureOf(this.deps, row, new Error(`took longer than ${job.timeoutMs} ms and did not stop when it was told to`))
  }

  /** Async, so that a job that throws before it waits for anything fails like any other. */
  private async attempt(row: JobRow, job: AsyncJob, signal: AbortSignal): Promise<Outcome> {
    return await job.run(this.ctxOf(row, signal), JSON.parse(row.args) as unknown)
  }

  private ctxOf(row: JobRow, signal: AbortSignal): JobCtx {
    return {
      ...systemCtx(this.deps, row.organizationId),
      jobId: row.id,
      attempt: row.attempt,
      isLastAttempt: row.attempt >= row.maxAttempts,
      gateKey: row.gateKey,
      signal,
    }
  }

  /** Keeps a result until the next turn, which writes all of them in one transaction. */
  private finish(finished: Finished): void {
    this.finished.push(finished)
    this.wake()
  }

  private flush(): void {
    while (this.finished.length > 0) {
      const batch = this.finished.slice(0, 500)
      const areTold = batch.every(({ job }) => job?.mode === 'async' && job.isToldByRows)
      const write = areTold ? transactUnflushed : transact
      try {
        write(this.deps.db, (tx) => {
          for (const finished of batch) this.record(tx, finished)
        })
        this.finished.splice(0, batch.length)
      } catch (error) {
        if (isStorageTrouble(error)) throw error
        for (const _ of batch) this.flushOne()
      }
    }
  }

  /** What cannot be written down of one job must not keep the others from going on: that one runs again when its lease is over, the attempt counted. */
  private flushOne(): void {
    const [finished] = this.finished
    if (!finished) return
    try {
      transact(this.deps.db, (tx) => this.record(tx, finished))
    } catch (error) {
      if (isStorageTrouble(error)) throw error
      const { id, kind, organizationId } = finished.row
      this.deps.log.error({ error, job_id: id, kind, organization_id: organizationId }, 'what came of a job could not be written down')
    }
    this.finished.shift()
  }

  private record(tx: Tx, { row, job, result }: Finished): void {
    recordResult(tx, this.deps, row, result)
    this.count(row, result)
    noteScheduledRun(tx, this.deps, row, result)
    if (result.kind === 'discarded') this.giveUp(tx, row, job, result.reason)
  }

  private count(row: JobRow, { kind: outcome }: Result): void {
    if (outcome === 'released' || outcome === 'gated') return
    const { jobs, jobDuration } = this.deps.metrics
    jobs.inc({ kind: row.kind, outcome })
    if (row.attemptedAtMs !== null) jobDuration.of(row.kind).observe(Math.max(0, this.deps.clock.nowMs() - row.attemptedAtMs) / 1_000)
  }

  private giveUp(tx: Tx, row: JobRow, job: JobDefinition | null, reason: string): void {
    const facts = { job_id: row.id, kind: row.kind, organization_id: row.organizationId, attempts: row.attempt }
    this.deps.log.error(facts, 'job given up')
    if (!job?.whenDiscarded) return
    try {
      savepoint(tx, (inner) => job.whenDiscarded?.(inner, this.ctxOf(row, NEVER), JSON.parse(row.args) as unknown, reason))
    } catch (error) {
      if (isStorageTrouble(error)) throw error
      this.deps.log.error({ ...facts, error }, 'what follows a job that was given up failed')
    }
  }

  /** Runs everything that is due, and what that leads to, until nothing is left; for tests, which never wait for time to pass. */
  async runUntilIdle(alsoDrain: () => number): Promise<void> {
    for (;;) {
      const drained = alsoDrain()
      const taken = this.step()
      if (this.running.size > 0) await Promise.race([...this.running.values()].map((run) => run.done))
      else if (drained === 0 && taken === 0 && this.finished.length === 0) return
    }
  }

  /** Stops: claims nothing more, waits `graceMs` for what runs, then cuts it short; what was cut runs again after the next start. */
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
    for (const { row } of this.running.values()) this.finished.push({ row, job: null, result: { kind: 'released' } })
    this.flush()
  }
}

/**
 * Which part of its time a batch gets when others had the event loop for so long since the last one: all of it where nobody has asked for anything
 * lately, for then the time went to sleeping, or to other programs.
 */
const shareAfter = (othersMs: number): number =>
  othersMs < HARDLY_ANYTHING_MS || !mayBeAsked() ? 1 : Math.min(1, Math.max(SMALLEST_SHARE, othersMs / WHOLE_SHARE_MS))

function refusalOf(row: JobRow, job: JobDefinition | undefined): string | null {
  if (!job) return `this version has no job named ${row.kind}`
  if (row.attempt > row.maxAttempts) return 'the process ended during every attempt'
  return job.fits(JSON.parse(row.args)) ? null : 'the arguments do not fit this version of the job'
}
