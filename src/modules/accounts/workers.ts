import { MINUTE_MS } from '../../lib/clock'
import { systemCtx } from '../../infra/ctx'
import { enqueue } from '../../infra/jobs/enqueue'
import { defineSchedule } from '../../infra/jobs/schedule'
import { work, workInTransaction } from '../../infra/jobs/work'
import { CheckAccount, CheckDueAccounts } from './jobs'
import { dueForProbe, probe, TROUBLED_MS } from './schedule-health-check'

export const accountWorkers = [
  work(CheckAccount, (ctx, { accountId }) => probe(ctx, accountId), { timeoutMs: 3 * MINUTE_MS }),

  workInTransaction(
    CheckDueAccounts,
    (tx, ctx) => {
      const turn = Math.floor(ctx.clock.nowMs() / TROUBLED_MS)
      for (const { id, organizationId } of dueForProbe(ctx))
        enqueue(tx, systemCtx(ctx, organizationId), CheckAccount, {
          args: { accountId: id },
          uniqueKey: `probe:${id}:${turn}`,
        })
    },
    { isKept: false },
  ),
]

export const accountSchedules = [defineSchedule('account.check-due', MINUTE_MS, CheckDueAccounts)]
