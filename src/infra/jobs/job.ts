import type { Static, TSchema } from '@sinclair/typebox'

import { typeGuardOf } from '../../lib/schema-check'

/** Queues with a width of their own, so that one kind of work never starves another. */
export const QUEUES = [
  'inbound',
  'inbound-status',
  'inbound-account',
  'media',
  'send',
  'default',
] as const
export type Queue = (typeof QUEUES)[number]

/** Which of an organization's jobs of a queue and gate goes first, and how the table says it. */
export const PRIORITIES = { high: 1, normal: 2, low: 3 } as const
export type Priority = keyof typeof PRIORITIES

/** The declaration of a job: all that is needed to enqueue it. Its work is in `workers.ts`. */
export interface Job<A = never> {
  name: string
  queue: Queue
  priority: Priority
  maxAttempts: number
  /** Whether arguments have the declared shape. */
  fits: (args: unknown) => boolean
  /** Never there; it keeps the type of the arguments. */
  accepts?: (args: A) => void
}

const DEFAULT_ATTEMPTS = 20

/**
 * Declares a job by its name, its arguments and its queue. Arguments are checked when it is
 * enqueued and again before it runs.
 */
export const job = <S extends TSchema>(
  name: string,
  args: S,
  options: { queue: Queue; priority?: Priority; maxAttempts?: number },
): Job<Static<S>> => ({
  priority: 'normal',
  maxAttempts: DEFAULT_ATTEMPTS,
  ...options,
  name,
  fits: typeGuardOf(args),
})
