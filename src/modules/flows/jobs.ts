import { Type } from '@sinclair/typebox'

import { MINUTE_MS } from '../../lib/clock'
import { AppError } from '../../lib/errors'
import { defineJob } from '../../infra/jobs/define'
import { syncFlows } from './sync'

/**
 * Fetches the forms of a number's business account, because the platform told of one that is not
 * known here.
 */
export const syncAccountFlows = defineJob({
  name: 'flow.sync',
  lane: 'default',
  args: Type.Object({ accountId: Type.String() }),
  maxAttempts: 5,
  timeoutMs: 5 * MINUTE_MS,
  async run(ctx, { accountId }) {
    try {
      await syncFlows(ctx, accountId)
    } catch (error) {
      // A number that is gone, or that the platform will not answer for, is not asked again.
      if (error instanceof AppError && error.httpStatus < 500) return { cancel: error.code }
      throw error
    }
    return undefined
  },
})
