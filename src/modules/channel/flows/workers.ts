import { MINUTE_MS } from '../../../lib/clock'
import { AppError } from '../../../lib/errors'
import { work } from '../../../infra/jobs/work'
import { directEndpoints } from './direct-endpoints'
import { DirectEndpoints, SyncFlows } from './jobs'
import { syncFlows } from './sync'

export const flowWorkers = [
  work(
    SyncFlows,
    async (ctx, { accountId }) => {
      try {
        await syncFlows(ctx, accountId)
      } catch (error) {
        // Not retried for an account that is gone or that the platform refuses.
        if (error instanceof AppError && error.httpStatus < 500) return { cancel: error.code }
        throw error
      }
      return undefined
    },
    { timeoutMs: 5 * MINUTE_MS },
  ),

  work(DirectEndpoints, (ctx, { accountId }) => directEndpoints(ctx, accountId), {
    timeoutMs: 5 * MINUTE_MS,
  }),
]
