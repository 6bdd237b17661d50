import { Type } from '@sinclair/typebox'

import { MINUTE_MS } from '../../../lib/clock'
import { defineTransactionJob } from '../../../infra/jobs/define'
import { enqueue } from '../../../infra/jobs/enqueue'
import { defineSchedule } from '../../../infra/jobs/schedule'
import { endWaitingIn } from '../inbound/pending-edits'

/**
 * Ends the waiting of edits and revokes whose message did not come, some at a time until none is
 * left.
 */
export const endWaiting = defineTransactionJob({
  name: 'message.end-waiting',
  lane: 'default',
  args: Type.Object({}),
  isKept: false,
  run(tx, ctx) {
    if (endWaitingIn(tx, ctx) > 0) enqueue(tx, ctx, endWaiting, { args: {} })
  },
})

/** How often it is looked whether something has waited long enough. */
export const waitingSchedule = defineSchedule('end-waiting', 10 * MINUTE_MS, endWaiting)
