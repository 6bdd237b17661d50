import { Type } from '@sinclair/typebox'

import { HOUR_MS, MINUTE_MS } from '../../lib/clock'
import { systemCtx } from '../../infra/ctx'
import { defineJob, defineTransactionJob } from '../../infra/jobs/define'
import { enqueue } from '../../infra/jobs/enqueue'
import { defineSchedule } from '../../infra/jobs/schedule'
import { PlatformError } from '../../platform/client/errors'
import { businessesToSync, syncBusiness } from './sync'

/** Fetches the templates of one business account of an organization. */
export const syncBusinessTemplates = defineJob({
  name: 'template.sync',
  lane: 'default',
  args: Type.Object({ businessId: Type.String() }),
  maxAttempts: 5,
  timeoutMs: 5 * MINUTE_MS,
  async run(ctx, { businessId }) {
    try {
      await syncBusiness(ctx, businessId)
    } catch (error) {
      // Whoever looks after the number has been told; the next hour asks again.
      if (error instanceof PlatformError && error.outcome === 'refused')
        return { cancel: error.message }
      throw error
    }
    return undefined
  },
})

/** Finds the business accounts whose templates are fetched every hour. */
export const syncAllTemplates = defineTransactionJob({
  name: 'template.sync-all',
  lane: 'default',
  args: Type.Object({}),
  isKept: false,
  run(tx, ctx) {
    const hour = Math.floor(ctx.clock.nowMs() / HOUR_MS)
    for (const { organizationId, businessId } of businessesToSync(ctx))
      enqueue(tx, systemCtx(ctx, organizationId), syncBusinessTemplates, {
        args: { businessId },
        uniqueKey: `template-sync:${organizationId}:${businessId}:hour-${hour}`,
      })
  },
})

export const templateSchedule = defineSchedule('template.sync', HOUR_MS, syncAllTemplates)
