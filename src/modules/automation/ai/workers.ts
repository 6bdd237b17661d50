import { MINUTE_MS } from '../../../lib/clock'
import { defineSchedule, type Schedule } from '../../../infra/jobs/define-schedule'
import { work, type Work } from '../../../infra/jobs/work'
import { yieldToEventLoop } from '../../../infra/event-loop'
import { discardDocumentIn, readDocument } from './documents/read'
import { ReadDocument, SettleForgottenCalls } from './jobs'
import { settleForgotten } from './usage/settle'

/** The reading process has a minute; storing a large text takes some seconds. */
const READ_TIMEOUT_MS = 2 * MINUTE_MS

export const aiWorkers: Work[] = [
  work(ReadDocument, readDocument, {
    timeoutMs: READ_TIMEOUT_MS,
    whenDiscarded: discardDocumentIn,
  }),
  work(SettleForgottenCalls, async (ctx) => {
    while (settleForgotten(ctx) > 0) await yieldToEventLoop()
  }),
]

export const aiSchedules: Schedule[] = [defineSchedule(10 * MINUTE_MS, SettleForgottenCalls)]
