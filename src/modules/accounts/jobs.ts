import { Type } from '@sinclair/typebox'

import { MINUTE_MS } from '../../lib/clock'
import { systemCtx } from '../../infra/ctx'
import { defineJob, defineTransactionJob } from '../../infra/jobs/define'
import { enqueue } from '../../infra/jobs/enqueue'
import { defineSchedule } from '../../infra/jobs/schedule'
import { dueForProbe, probe, TROUBLED_MS } from './schedule-health-check'

const NoArgs = Type.Object({})

const MAX_ATTEMPTS = 3

/** Asks the platform about one number and keeps what it says. */
export const probeAccount = defineJob({
  name: 'account.probe',
  lane: 'default',
  args: Type.Object({ accountId: Type.String() }),
  maxAttempts: MAX_ATTEMPTS,
  timeoutMs: 3 * MINUTE_MS,
  run: (ctx, { accountId }) => probe(ctx, accountId),
})

/** Finds the numbers whose turn it is to be asked about. */
export const probeDueAccounts = defineTransactionJob({
  name: 'account.probe-due',
  lane: 'default',
  args: NoArgs,
  isKept: false,
  run(tx, ctx) {
    const turn = Math.floor(ctx.clock.nowMs() / TROUBLED_MS)
    for (const { id, organizationId } of dueForProbe(ctx))
      enqueue(tx, systemCtx(ctx, organizationId), probeAccount, {
        args: { accountId: id },
        uniqueKey: `probe:${id}:${turn}`,
      })
  },
})

export const accountSchedule = defineSchedule('account.probe', MINUTE_MS, probeDueAccounts)
