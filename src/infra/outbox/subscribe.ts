import type { Static, TSchema } from '@sinclair/typebox'

import type { Job } from '../jobs/job'
import type { EventDefinition } from './events'

/** A job that is enqueued after an event, with the event's payload as its arguments. */
export interface Subscription {
  event: string
  job: Job<unknown>
}

/**
 * Subscribes `job` to `event`. The job is enqueued once per event, with the event's payload as its
 * arguments.
 */
export const subscribe = <S extends TSchema>(
  event: EventDefinition<S>,
  job: Job<Static<S>>,
): Subscription => ({
  event: event.name,
  job: job as unknown as Job<unknown>, // the event checks its payload, the job its arguments
})
