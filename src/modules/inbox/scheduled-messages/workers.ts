import { workInTransaction } from '../../../infra/jobs/work'
import { failForAccountIn } from './contact-changes'
import { FailForAccount, SendScheduled } from './jobs'
import { abandonIn, sendDueIn } from './send'

export const scheduledWorkers = [
  workInTransaction(SendScheduled, (tx, ctx, { scheduledId }) => sendDueIn(tx, ctx, scheduledId), {
    isKept: false,
    whenDiscarded: (tx, ctx, { scheduledId }) => abandonIn(tx, ctx, scheduledId),
  }),
  workInTransaction(FailForAccount, failForAccountIn, { isKept: false }),
]
