import { MINUTE_MS } from '../../lib/clock'
import { defineSchedule, type Schedule } from '../../infra/jobs/define-schedule'
import { work, type Work } from '../../infra/jobs/work'
import { yieldToEventLoop } from '../../infra/event-loop'
import { SettleForgottenCalls } from './jobs'
import { settleForgotten } from './usage/settle'

export const aiWorkers: Work[] = [
  work(SettleForgottenCalls, async (ctx) => {
    while (settleForgotten(ctx) > 0) await yieldToEventLoop()
  }),
]

export const aiSchedules: Schedule[] = [defineSchedule(10 * MINUTE_MS, SettleForgottenCalls)]
