import { HOUR_MS, MINUTE_MS } from '../../../lib/clock'
import { systemCtx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { work } from '../../../infra/jobs/work'
import { recordRetentionRun } from '../../organization/organizations/retention/service'
import { StartDueSweeps, SweepRetention } from './jobs'
import { dueNights } from './nightly-schedule'
import { sweepOrganization } from './sweep'

export const retentionWorkers = [
  work(
    SweepRetention,
    async (ctx, { date }) => {
      await sweepOrganization(ctx)
      recordRetentionRun(ctx, ctx.organizationId, date)
    },
    { timeoutMs: 2 * HOUR_MS },
  ),

  work(StartDueSweeps, (ctx) => {
    transact(ctx.db, (tx) => {
      for (const { organizationId, date } of dueNights(ctx))
        enqueue(tx, systemCtx(ctx, organizationId), SweepRetention, {
          args: { date },
          uniqueKey: `retention:${organizationId}:${date}`,
        })
    })
    return Promise.resolve()
  }),
]

export const retentionSchedules = [defineSchedule(15 * MINUTE_MS, StartDueSweeps)]
