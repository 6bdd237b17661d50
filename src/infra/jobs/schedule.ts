import { eq, sql } from 'drizzle-orm'
import { INSTALLATION, systemCtx, type Deps } from '../ctx'
import { compiled, place } from '../db/compiled'
import type { Db } from '../db/connection'
import { transact, type Tx } from '../db/transact'
import { enqueue } from './enqueue'
import type { Result } from './record-result'
import { jobs, jobSchedules, type JobRow } from './table'
import type { Schedule } from './define-schedule'

/**
 * The time range in which each schedule was last checked, so that checks within it cost nothing.
 */
export type SeenSlots = Map<string, { fromMs: number; untilMs: number }>

/**
 * Enqueues each schedule's job once per due time. The table stores the last due time; `seen` saves
 * a query. Skips a due time while the previous job waits or runs.
 */
export function enqueueDueSchedules(deps: Deps, schedules: Schedule[], seen: SeenSlots): void {
  const nowMs = deps.clock.nowMs()
  const due = schedules.filter(({ name }) => {
    const span = seen.get(name)
    return span === undefined || nowMs < span.fromMs || nowMs >= span.untilMs
  })
  if (due.length === 0) return
  transact(deps.db, (tx) => {
    for (const schedule of due) enqueueDueIn(tx, deps, schedule, nowMs)
  })
  for (const { name, timing } of due)
    seen.set(name, { fromMs: timing.lastMs(nowMs), untilMs: timing.nextMs(nowMs) })
}

const KEY = 'schedule:'

const scheduleByName = compiled((orm) =>
  orm
    .select()
    .from(jobSchedules)
    .where(eq(jobSchedules.name, place(jobSchedules.name, 'name')))
    .prepare(),
)

const keepSlot = compiled((orm) =>
  orm
    .insert(jobSchedules)
    .values({
      name: sql.placeholder('name'),
      slotMs: sql.placeholder('slotMs'),
      jobId: sql.placeholder('jobId'),
    })
    .onConflictDoUpdate({
      target: jobSchedules.name,
      set: { slotMs: sql`excluded.slot_ms`, jobId: sql`excluded.job_id` },
    })
    .prepare(),
)

/** Enqueues the job of one schedule if it is due. */
function enqueueDueIn(tx: Tx, deps: Deps, { name, timing, job }: Schedule, nowMs: number): void {
  const slotMs = timing.lastMs(nowMs)
  const known = scheduleByName(deps.db).get({ name })
  if (known?.slotMs === slotMs) return
  if (known && slotMs < known.slotMs)
    return resetAfterClockChangeIn(
      tx,
      { name, timing, job },
      { knownMs: known.slotMs, slotMs, nowMs },
    )
  const isWanted = known ? !isUnderWay(deps.db, known.jobId) : timing.runsAtFirstStart
  const jobId = isWanted
    ? enqueue(tx, systemCtx(deps, INSTALLATION), job, {
        args: {},
        uniqueKey: `${KEY}${name}:${deps.ids.next()}`,
      })
    : (known?.jobId ?? null)
  keepSlot(deps.db).run({ name, slotMs, jobId })
}

/**
 * Handles a clock that was set back: a due time that occurs again does not run again. If the clock
 * went back by more than one interval, the next due time counts.
 */
function resetAfterClockChangeIn(
  tx: Tx,
  { name, timing }: Schedule,
  at: { knownMs: number; slotMs: number; nowMs: number },
): void {
  if (at.knownMs - at.nowMs <= timing.nextMs(at.knownMs) - at.knownMs) return
  tx.update(jobSchedules).set({ slotMs: at.slotMs }).where(eq(jobSchedules.name, name)).run()
}

const stateOf = compiled((orm) =>
  orm
    .select({ state: jobs.state })
    .from(jobs)
    .where(eq(jobs.id, place(jobs.id, 'jobId')))
    .prepare(),
)

const isUnderWay = (db: Db, jobId: string | null): boolean =>
  jobId !== null && ['available', 'executing'].includes(stateOf(db).get({ jobId })?.state ?? '')

const keepOutcome = compiled((orm) =>
  orm
    .update(jobSchedules)
    .set({
      lastRunAtMs: sql`${sql.placeholder('lastRunAtMs')}`,
      lastOutcome: sql`${sql.placeholder('lastOutcome')}`,
    })
    .where(eq(jobSchedules.jobId, place(jobSchedules.jobId, 'jobId')))
    .prepare(),
)

const OUTCOMES: Partial<
  Record<Result['kind'], 'completed' | 'scheduled' | 'retryable' | 'cancelled' | 'discarded'>
> = {
  completed: 'completed',
  snoozed: 'scheduled',
  retryable: 'retryable',
  cancelled: 'cancelled',
  discarded: 'discarded',
}

/**
 * Records the outcome of a scheduled job, in the transaction that records its result. Does nothing
 * for other jobs.
 */
export function recordScheduledRun(
  tx: Tx,
  deps: Pick<Deps, 'clock' | 'db'>,
  row: JobRow,
  result: Result,
): void {
  void tx // one connection: the compiled statement runs inside the transaction that it proves to be open
  if (!row.uniqueKey?.startsWith(KEY)) return
  const lastOutcome = OUTCOMES[result.kind]
  if (lastOutcome === undefined) return
  const lastRunAtMs = row.attemptedAtMs ?? deps.clock.nowMs()
  keepOutcome(deps.db).run({ lastRunAtMs, lastOutcome, jobId: row.id })
}

/** A schedule with its last and its next time, epoch milliseconds. */
export interface ScheduleState {
  name: string
  words: string
  lastRunAtMs: number | null
  lastOutcome: string | null
  nextRunAtMs: number
}

/** All schedules, by name. */
export function scheduleStates(
  deps: Pick<Deps, 'db' | 'clock'>,
  schedules: Schedule[],
): ScheduleState[] {
  const nowMs = deps.clock.nowMs()
  const known = new Map(
    deps.db.orm
      .select()
      .from(jobSchedules)
      .all()
      .map((row) => [row.name, row]),
  )
  return schedules
    .map(({ name, timing }) => ({
      name,
      words: timing.words,
      lastRunAtMs: known.get(name)?.lastRunAtMs ?? null,
      lastOutcome: known.get(name)?.lastOutcome ?? null,
      nextRunAtMs: timing.nextMs(nowMs),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
