import type { Static, TSchema } from '@sinclair/typebox'

import { typeGuardOf } from '../../lib/schema-check'

/** Queues with separate concurrency, so that one kind of work cannot starve another. */
export const QUEUES = [
  'inbound',
  'inbound-status',
  'inbound-account',
  'media',
  'send',
  'ai',
  'documents',
  'webhooks',
  'cells',
  'default',
] as const
export type Queue = (typeof QUEUES)[number]

/** Priorities among an organization's jobs of a queue and gate, with their values in the table. */
export const PRIORITIES = { high: 1, normal: 2, low: 3 } as const
export type Priority = keyof typeof PRIORITIES

/** The declaration of a job: everything needed to enqueue it. Its work is in `workers.ts`. */
export interface Job<A = never> {
  name: string
  queue: Queue
  priority: Priority
  maxAttempts: number
  /** Whether arguments have the declared shape. */
  fits: (args: unknown) => boolean
  /** Never set; carries the type of the arguments. */
  accepts?: (args: A) => void
}

const DEFAULT_ATTEMPTS = 20

/**
 * Declares a job by its name, arguments and queue. Arguments are checked when it is enqueued and
 * again before it runs.
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
