import type { Static, TSchema } from '@sinclair/typebox'

import { shapeOf } from '../../lib/schema-check'
import type { Ctx, Deps } from '../ctx'
import type { Tx } from '../db/transact'

/** Queues with a width of their own, so that one kind of work never starves another. */
export const LANES = [
  'inbound',
  'inbound-status',
  'inbound-account',
  'media',
  'send',
  'default',
] as const
export type Lane = (typeof LANES)[number]

/** Which of an organization's jobs of a lane and gate goes first, and how the table says it. */
export const PRIORITIES = { high: 1, normal: 2, low: 3 } as const
export type Priority = keyof typeof PRIORITIES

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
 * Holds back jobs of a lane by their gate key: they stay in the table, untried and in order, until
 * it opens. Looked at before every claim, so it must be quick.
 */
export interface Gate {
  lane: Lane
  look: (deps: Deps, at: { organizationId: string; gateKey: string }) => Opening
}

/** The scope a job runs in: its organization, and what it needs to know about this run. */
export interface JobCtx extends Ctx {
  jobId: string
  /** 1 for the first run. */
  attempt: number
  isLastAttempt: boolean
  /** The gate it came through; empty when it waits at none. */
  gateKey: string
  /** Aborted when the job's time is over or the server stops. */
  signal: AbortSignal
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

interface Common<A> {
  name: string
  lane: Lane
  priority: Priority
  maxAttempts: number
  /** Whether arguments have the shape that was defined. */
  fits: (args: unknown) => boolean
  /** What to do when the last attempt has failed, in the transaction that discards the job. */
  whenDiscarded?: (tx: Tx, ctx: JobCtx, args: A, reason: string) => void
  /**
   * What a person does by having an ended job run again, where that is more than running it: in the
   * transaction that revives it.
   */
  whenRetried?: (tx: Tx, ctx: Ctx, args: A) => void
}

/**
 * A job that waits for something outside; it is run at least once and must not mind running twice.
 */
export interface AsyncJob<A = unknown> extends Common<A> {
  mode: 'async'
  timeoutMs: number
  /**
   * Whether all it comes to is in rows it has written and had flushed itself, so that one more run
   * after a power cut finds it and does nothing: then its end is noted without a flush of its own.
   */
  isToldByRows: boolean
  run: (ctx: JobCtx, args: A) => Promise<Outcome>
}

/**
 * A job that only touches the database: its work and its completion are one transaction, so it
 * takes effect exactly once.
 */
export interface TransactionJob<A = unknown> extends Common<A> {
  mode: 'transaction'
  /**
   * Whether the finished row is kept for the job list; not when the outcome is recorded elsewhere.
   */
  isKept: boolean
  run: (tx: Tx, ctx: JobCtx, args: A) => Outcome
}

export type JobDefinition<A = unknown> = AsyncJob<A> | TransactionJob<A>

const DEFAULT_ATTEMPTS = 20
const DEFAULT_TIMEOUT_MS = 60_000

/**
 * Defines a job that may wait for the network; arguments are checked when it is enqueued and again
 * before it runs.
 */
export function defineJob<S extends TSchema>(job: {
  name: string
  lane: Lane
  args: S
  priority?: Priority
  maxAttempts?: number
  timeoutMs?: number
  isToldByRows?: boolean
  whenDiscarded?: (tx: Tx, ctx: JobCtx, args: Static<S>, reason: string) => void
  whenRetried?: (tx: Tx, ctx: Ctx, args: Static<S>) => void
  run: (ctx: JobCtx, args: Static<S>) => Promise<Outcome>
}): AsyncJob<Static<S>> {
  const { args, ...rest } = job
  return {
    mode: 'async',
    priority: 'normal',
    maxAttempts: DEFAULT_ATTEMPTS,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    isToldByRows: false,
    ...rest,
    fits: shapeOf(args),
  }
}

/**
 * Defines a job that only touches the database; arguments are checked when it is enqueued and again
 * before it runs.
 */
export function defineTransactionJob<S extends TSchema>(job: {
  name: string
  lane: Lane
  args: S
  priority?: Priority
  maxAttempts?: number
  isKept?: boolean
  whenDiscarded?: (tx: Tx, ctx: JobCtx, args: Static<S>, reason: string) => void
  run: (tx: Tx, ctx: JobCtx, args: Static<S>) => Outcome
}): TransactionJob<Static<S>> {
  const { args, ...rest } = job
  return {
    mode: 'transaction',
    priority: 'normal',
    maxAttempts: DEFAULT_ATTEMPTS,
    isKept: true,
    ...rest,
    fits: shapeOf(args),
  }
}
