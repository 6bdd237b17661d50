import { HOUR_MS, SECOND_MS } from '../../../lib/clock'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { work } from '../../../infra/jobs/work'
import { reasonOf } from './archive-files'
import { completeRequest } from './complete-erasure'
import { expireExports } from './expire-exports'
import { takeTurn } from './export-slots'
import { CompleteErasure, ExpirePrivacyFiles, WritePrivacyExport } from './jobs'
import { failPrivacyExport, writePrivacyExport } from './write-export'

export const privacyWorkers = [
  work(
    WritePrivacyExport,
    async (ctx, { requestId }) => {
      using turn = takeTurn(ctx)
      if (!turn) return { snoozeMs: SECOND_MS }
      try {
        await writePrivacyExport(ctx, requestId)
        return undefined
      } catch (error) {
        if (ctx.isLastAttempt && !ctx.signal.aborted)
          failPrivacyExport(ctx, requestId, reasonOf(error))
        throw error
      }
    },
    { timeoutMs: 2 * HOUR_MS },
  ),

  work(CompleteErasure, async (ctx, { requestId }) =>
    (await completeRequest(ctx, requestId)) ? undefined : { snoozeMs: SECOND_MS },
  ),

  work(ExpirePrivacyFiles, (ctx) => expireExports(ctx)),
]

export const privacySchedules = [defineSchedule(HOUR_MS, ExpirePrivacyFiles)]
