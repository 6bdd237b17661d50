import type { Ctx, Deps, JobCtx, JobHooks } from '../ctx'
import type { Tx } from '../db/transact'
import type { Job, Queue } from './job'

/** How far a gate stands open for the jobs of one key. */
export interface Opening {
  /** So many may start now. */
  room: number
  /**
   * When it is worth looking again, epoch milliseconds; `null` when only a change in the database
   * can open it further.
   */
  nextAtMs: number | null
}

/**
 * Holds back jobs of a queue by their gate key: they stay in the table, untried and in order, until
 * it opens. Looked at before every claim, so it must be quick.
 */
export interface Gate {
  queue: Queue
  look: (deps: Deps, at: { organizationId: string; gateKey: string }) => Opening
}

/**
 * How a run ended when it did not throw. Nothing: done. `snoozeMs`: run again later, this run does
 * not count. `backToGate`: as if it had never run, it waits for its gate, which must be shut.
 * `retryInMs`: run again then, this run counts and `reason` is kept. `cancel`: never again, for
 * `reason`. `giveUp`: never again, and shown among what failed.
 */
export type Outcome =
  | void
  | { snoozeMs: number }
  | { backToGate: true }
  | { retryInMs: number; reason: string }
  | { cancel: string }
  | { giveUp: string }

interface Hooks<A> {
  /** What to do when the last attempt has failed, in the transaction that discards the job. */
  whenDiscarded?: (tx: Tx, ctx: JobCtx, args: A, reason: string) => void
  /**
   * What a person does by having an ended job run again, where that is more than running it: in the
   * transaction that revives it.
   */
  whenRetried?: (tx: Tx, ctx: Ctx, args: A) => void
}

/**
 * Work that waits for something outside; it is run at least once and must not mind running twice.
 */
export interface AsyncWork<A = never> extends Job<A>, Hooks<A> {
  mode: 'async'
  timeoutMs: number
  /**
   * Whether its whole result is in rows it has written and flushed itself, so that one more run
   * after a power cut finds them and does nothing: then its end is recorded without a flush of its
   * own.
   */
  isToldByRows: boolean
  run: (ctx: JobCtx, args: A) => Promise<Outcome>
}

/**
 * Work that only touches the database: the work and its completion are one transaction, so it takes
 * effect exactly once.
 */
export interface TransactionWork<A = never> extends Job<A>, Hooks<A> {
  mode: 'transaction'
  /**
   * Whether the finished row is kept for the job list; not when the outcome is recorded elsewhere.
   */
  isKept: boolean
  run: (tx: Tx, ctx: JobCtx, args: A) => Outcome
}

/** A job with its work. */
export type Work<A = never> = AsyncWork<A> | TransactionWork<A>

const DEFAULT_TIMEOUT_MS = 60_000

/** Says how a job is done that may wait for the network. The time limit is 60 s unless given. */
export const work = <A>(
  job: Job<A>,
  run: AsyncWork<A>['run'],
  options: Hooks<A> & { timeoutMs?: number; isToldByRows?: boolean } = {},
): AsyncWork<A> => ({
  timeoutMs: DEFAULT_TIMEOUT_MS,
  isToldByRows: false,
  ...options,
  ...job,
  mode: 'async',
  run,
})

/** Says how a job is done that only touches the database. */
export const workInTransaction = <A>(
  job: Job<A>,
  run: TransactionWork<A>['run'],
  options: Hooks<A> & { isKept?: boolean } = {},
): TransactionWork<A> => ({ isKept: true, ...options, ...job, mode: 'transaction', run })

/** What happens when jobs are discarded or revived, by their names. */
export const hooksOf = (all: Work[]): JobHooks =>
  new Map(
    (all as unknown as Work<unknown>[]).map((one) => [one.name, one]), // given what they were enqueued with
  )
