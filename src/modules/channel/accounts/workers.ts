import { MINUTE_MS } from '../../../lib/clock'
import { systemCtx } from '../../../infra/ctx'
import { enqueue } from '../../../infra/jobs/enqueue'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { directWebhooks, reportUndirectedIn } from './direct-webhooks'
import { suspectSilentNumbers } from './funding/silence'
import {
  CheckAccount,
  CheckDueAccounts,
  DirectWebhooks,
  RequestPhoneAppData,
  SuspectSilentNumbers,
} from './jobs'
import { requestDuePhoneAppDataIn, requestPhoneAppData } from './phone-app/request'
import {
  accountsDueForCheck,
  checkAccount,
  REJECTED_CHECK_INTERVAL_MS,
} from './schedule-health-check'

export const accountWorkers = [
  work(CheckAccount, (ctx, { accountId }) => checkAccount(ctx, accountId), {
    timeoutMs: 3 * MINUTE_MS,
  }),

  work(DirectWebhooks, (ctx, { accountId }) => directWebhooks(ctx, accountId), {
    whenDiscarded: (tx, ctx, { accountId }) => reportUndirectedIn(tx, ctx, accountId),
  }),

  work(RequestPhoneAppData, (ctx, { accountId }) => requestPhoneAppData(ctx, accountId)),

  workInTransaction(
    CheckDueAccounts,
    (tx, ctx) => {
      const round = Math.floor(ctx.clock.nowMs() / REJECTED_CHECK_INTERVAL_MS)
      for (const { id, organizationId } of accountsDueForCheck(ctx))
        enqueue(tx, systemCtx(ctx, organizationId), CheckAccount, {
          args: { accountId: id },
          uniqueKey: `checkAccount:${id}:${round}`,
        })
      requestDuePhoneAppDataIn(tx, ctx)
    },
    { isKept: false },
  ),

  work(SuspectSilentNumbers, (ctx) => suspectSilentNumbers(ctx)),
]

export const accountSchedules = [
  defineSchedule(MINUTE_MS, CheckDueAccounts),
  defineSchedule(10 * MINUTE_MS, SuspectSilentNumbers),
]
