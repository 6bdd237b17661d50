import type { Ctx, Deps, JobCtx, JobHooks } from '../ctx'
import type { Tx } from '../db/transact'
import type { Job, Queue } from './job'

/** How many jobs of one gate key may start. */
export interface GateState {
  /** Jobs that may start now. */
  room: number
  /**
   * When to check again, in epoch milliseconds; `null` if only a change in the database can open
   * the gate further.
   */
  nextAtMs: number | null
}

/**
 * Holds back jobs of a queue by their gate key. They stay in the table, in order and without an
 * attempt, until the gate opens. Runs before every claim, so it must be fast.
 */
export interface Gate {
  queue: Queue
  check: (deps: Deps, at: { organizationId: string; gateKey: string }) => GateState
}

/**
 * Result of a run that did not throw. Nothing: completed. `snoozeMs`: run again later; this run
 * does not count as an attempt. `backToGate`: wait for the gate, which must be closed, as if it had
 * never run. `retryInMs`: run again later; this run counts and `reason` is stored. `cancel`: end
 * the job for this reason. `giveUp`: discard the job for this reason.
 */
export type Outcome =
  | void
  | { snoozeMs: number }
  | { backToGate: true }
  | { retryInMs: number; reason: string }
  | { cancel: string }
  | { giveUp: string }

interface Hooks<A> {
  /** Runs when the last attempt has failed, in the transaction that discards the job. */
  whenDiscarded?: (tx: Tx, ctx: JobCtx, args: A, reason: string) => void
  /** Runs when a user retries an ended job, in the transaction that makes it available again. */
  whenRetried?: (tx: Tx, ctx: Ctx, args: A) => void
}

/**
 * Work that waits for the network or the disk. It runs at least once and must tolerate running
 * twice.
 */
export interface AsyncWork<A = never> extends Job<A>, Hooks<A> {
  mode: 'async'
  timeoutMs: number
  /**
   * Whether the job has stored its whole result in rows it wrote and flushed itself. Another run
   * after a power cut finds them and does nothing, so its completion is recorded without a flush.
   */
  isResultInRows: boolean
  /** Whether the completed job is kept for the job list. `false` if the outcome is in its rows. */
  isKept: boolean
  run: (ctx: JobCtx, args: A) => Promise<Outcome>
}

/**
 * Work that uses only the database. It commits together with its completion, so it takes effect
 * exactly once.
 */
export interface TransactionWork<A = never> extends Job<A>, Hooks<A> {
  mode: 'transaction'
  /**
   * Whether the completed job is kept for the job list. `false` if the outcome is recorded
   * elsewhere.
   */
  isKept: boolean
  run: (tx: Tx, ctx: JobCtx, args: A) => Outcome
}

/** A job with its work. */
export type Work<A = never> = AsyncWork<A> | TransactionWork<A>

const DEFAULT_TIMEOUT_MS = 60_000

/** Defines the work of a job that may wait for the network. The timeout defaults to 60 s. */
export const work = <A>(
  job: Job<A>,
  run: AsyncWork<A>['run'],
  options: Hooks<A> & { timeoutMs?: number; isResultInRows?: boolean; isKept?: boolean } = {},
): AsyncWork<A> => ({
  timeoutMs: DEFAULT_TIMEOUT_MS,
  isResultInRows: false,
  isKept: true,
  ...options,
  ...job,
  mode: 'async',
  run,
})

/** Defines the work of a job that uses only the database. */
export const workInTransaction = <A>(
  job: Job<A>,
  run: TransactionWork<A>['run'],
  options: Hooks<A> & { isKept?: boolean } = {},
): TransactionWork<A> => ({ isKept: true, ...options, ...job, mode: 'transaction', run })

/** Returns the discard and retry hooks of all jobs, by job name. */
export const hooksOf = (all: Work[]): JobHooks =>
  new Map(
    (all as unknown as Work<unknown>[]).map((one) => [one.name, one]), // each gets the arguments it was enqueued with
  )
