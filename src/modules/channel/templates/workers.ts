import { HOUR_MS, MINUTE_MS } from '../../../lib/clock'
import { systemCtx } from '../../../infra/ctx'
import { enqueue } from '../../../infra/jobs/enqueue'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { PlatformError } from '../../../platform/client/errors'
import { optOutBusiness, optOutConnectedIn, reportRefusedOptOutIn } from './creative-opt-out'
import { OptOutBusiness, OptOutConnected, SyncAllTemplates, SyncTemplates } from './jobs'
import { businessesToSync, syncBusiness } from './sync'

export const templateWorkers = [
  work(
    SyncTemplates,
    async (ctx, { businessId }) => {
      try {
        await syncBusiness(ctx, businessId)
      } catch (error) {
        // The admins have been notified; the hourly sync tries again.
        if (error instanceof PlatformError && error.outcome === 'refused')
          return { cancel: error.message }
        throw error
      }
      return undefined
    },
    { timeoutMs: 5 * MINUTE_MS },
  ),

  work(OptOutBusiness, (ctx, { businessId }) => optOutBusiness(ctx, businessId), {
    whenDiscarded: (tx, ctx, { businessId }) => reportRefusedOptOutIn(tx, ctx, businessId),
  }),

  workInTransaction(OptOutConnected, optOutConnectedIn, { isKept: false }),

  workInTransaction(
    SyncAllTemplates,
    (tx, ctx) => {
      const hour = Math.floor(ctx.clock.nowMs() / HOUR_MS)
      for (const { organizationId, businessId } of businessesToSync(ctx))
        enqueue(tx, systemCtx(ctx, organizationId), SyncTemplates, {
          args: { businessId },
          uniqueKey: `template-sync:${organizationId}:${businessId}:hour-${hour}`,
        })
    },
    { isKept: false },
  ),
]

export const templateSchedules = [defineSchedule(HOUR_MS, SyncAllTemplates)]
