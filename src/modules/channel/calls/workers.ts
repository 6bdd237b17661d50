import { MINUTE_MS } from '../../../lib/clock'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { enqueue } from '../../../infra/jobs/enqueue'
import { workInTransaction } from '../../../infra/jobs/work'
import { endUnreportedCallsIn } from './end-unreported'
import { EndUnreportedCalls } from './jobs'

export const callWorkers = [
  workInTransaction(
    EndUnreportedCalls,
    (tx, ctx) => {
      if (endUnreportedCallsIn(tx, ctx)) enqueue(tx, ctx, EndUnreportedCalls, { args: {} })
    },
    { isKept: false },
  ),
]

export const callSchedules = [defineSchedule(10 * MINUTE_MS, EndUnreportedCalls)]
