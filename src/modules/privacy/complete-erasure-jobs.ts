import { Type } from '@sinclair/typebox'

import { SECOND_MS } from '../../lib/clock'
import { defineJob } from '../../infra/jobs/define'
import { completeRequest } from './complete-erasure'

/**
 * Completes an erasure whose parts have ended: when the bytes of all files are gone and the
 * write-ahead log, in which the former pages of the database still stand, is empty. Tries again
 * each second until then.
 */
export const completeErasure = defineJob({
  name: 'privacy.complete',
  lane: 'default',
  args: Type.Object({ requestId: Type.String() }),
  run: async (ctx, { requestId }) =>
    (await completeRequest(ctx, requestId)) ? undefined : { snoozeMs: SECOND_MS },
})
