import { HOUR_MS, MINUTE_MS } from '../../../lib/clock'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { work } from '../../../infra/jobs/work'
import { eraseOrganization } from './erase'
import { EraseOrganization, StartDueErasures } from './jobs'
import { startDueErasures } from './start'

export const deletionWorkers = [
  work(EraseOrganization, (ctx, args) => eraseOrganization(ctx, args), { timeoutMs: HOUR_MS }),

  work(StartDueErasures, (ctx) => Promise.resolve(startDueErasures(ctx))),
]

export const deletionSchedules = [defineSchedule(15 * MINUTE_MS, StartDueErasures)]
