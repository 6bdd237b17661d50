import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/** Sends a scheduled message. */
export const SendScheduled = job('scheduled.send', Type.Object({ scheduledId: Type.String() }), {
  queue: 'default',
})

/** Fails the scheduled messages of a disconnected phone number, a batch at a time. */
export const FailForAccount = job(
  'scheduled.fail-for-account',
  Type.Object({ accountId: Type.String() }),
  { queue: 'default' },
)
