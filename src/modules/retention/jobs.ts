import { Type } from '@sinclair/typebox'

import { HOUR_MS, MINUTE_MS } from '../../lib/clock'
import { systemCtx } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { defineJob } from '../../infra/jobs/define'
import { enqueue } from '../../infra/jobs/enqueue'
import { defineSchedule } from '../../infra/jobs/schedule'
import { noteRetentionRun } from '../organizations/retention/service'
import { dueNights } from './nightly-schedule'
import { sweepOrganization } from './sweep'

/** Erases what one organization has kept long enough; cut off, it goes on where it was. */
export const sweepRetention = defineJob({
  name: 'retention.sweep',
  lane: 'default',
  args: Type.Object({ date: Type.String() }),
  timeoutMs: 2 * HOUR_MS,
  async run(ctx, { date }) {
    await sweepOrganization(ctx)
    noteRetentionRun(ctx, ctx.organizationId, date)
  },
})

/** Looks whose night has come. */
export const enqueueDueSweeps = defineJob({
  name: 'retention.look',
  lane: 'default',
  args: Type.Object({}),
  run: (ctx) => {
    transact(ctx.db, (tx) => {
      for (const { organizationId, date } of dueNights(ctx))
        enqueue(tx, systemCtx(ctx, organizationId), sweepRetention, {
          args: { date },
          uniqueKey: `retention:${organizationId}:${date}`,
        })
    })
    return Promise.resolve()
  },
})

export const retentionSchedule = defineSchedule('retention', 15 * MINUTE_MS, enqueueDueSweeps)
