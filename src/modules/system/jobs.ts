import { Type, type Static } from '@sinclair/typebox'

import { HOUR_MS, MINUTE_MS } from '../../lib/clock'
import {
  defineJob,
  defineTransactionJob,
  type JobDefinition,
  type TransactionJob,
} from '../../infra/jobs/define'
import { enqueue } from '../../infra/jobs/enqueue'
import { reviveDiscardedIn } from '../../infra/jobs/inspect'
import { pruneIdempotencyKeys } from '../../infra/idempotency/store'
import { pruneJobs } from '../../infra/jobs/record-result'
import { defineSchedule } from '../../infra/jobs/schedule'
import type { Relay } from '../../infra/outbox/relay'
import { pruneAudit } from '../audit/prune'
import { pruneSessions } from '../auth/sessions'
import { pruneHours } from '../inbound/stats/hourly'
import { markOrphans } from '../inbound/process/mark-orphans'
import { pruneJournal, pruneShorterJournal } from '../inbound/journal/prune'
import { pruneNotifications } from '../notifications/service'
import { eraseOrphans } from '../members/erase-orphans'
import { yieldToEventLoop } from '../../infra/event-loop'

const NoArgs = Type.Object({})

/** Rounds of pruning in one run; what is left is pruned in the next. */
const MAX_ROUNDS = 200

const inRounds = async (prune: () => number): Promise<void> => {
  for (let round = 0; round < MAX_ROUNDS && prune() > 0; round += 1) await yieldToEventLoop()
}

/**
 * Deletes what was kept long enough: ended jobs, old events of the socket log, expired sign-ins,
 * old deliveries, old entries of the audit log, old notifications, old failures.
 */
export const housekeeping = (relay: () => Relay) => {
  const job = defineJob({
    name: 'system.housekeeping',
    lane: 'default',
    priority: 'low',
    args: NoArgs,
    timeoutMs: 10 * MINUTE_MS,
    async run(ctx) {
      await inRounds(() => pruneJobs(ctx))
      await inRounds(() => relay().prune())
      await inRounds(() => pruneSessions(ctx))
      await inRounds(() => pruneJournal(ctx))
      await inRounds(() => pruneShorterJournal(ctx))
      await inRounds(() => markOrphans(ctx))
      pruneHours(ctx)
      await inRounds(() => pruneAudit(ctx))
      await inRounds(() => pruneIdempotencyKeys(ctx))
      await inRounds(() => pruneNotifications(ctx))
      await inRounds(() => eraseOrphans(ctx))
      ctx.throttle.prune()
    },
  })
  return { job, schedule: defineSchedule('housekeeping', HOUR_MS / 4, job) }
}

const numberOrNull = Type.Union([Type.Integer(), Type.Null()])
const RetryArgs = Type.Object({
  kind: Type.Union([Type.String(), Type.Null()]),
  fromMs: numberOrNull,
  toMs: Type.Integer(),
  after: Type.String(),
})
export type RetryArgs = Static<typeof RetryArgs>
export type RetryJob = TransactionJob<RetryArgs>

/**
 * Has discarded jobs of an organization run again, some at a time, until none of those meant is
 * left.
 */
export const retryMany = (definitions: () => JobDefinition[]): RetryJob => {
  const job = defineTransactionJob({
    name: 'system.retry-jobs',
    lane: 'default',
    args: RetryArgs,
    run(tx, ctx, args) {
      const { kind, fromMs, toMs } = args
      const filter = {
        kind: kind ?? undefined,
        fromMs: fromMs ?? undefined,
        toMs,
        isWholeInstallation: false,
      }
      const after = reviveDiscardedIn(tx, ctx, definitions(), { filter, after: args.after })
      if (after !== null) enqueue(tx, ctx, job, { args: { ...args, after } })
    },
  })
  return job
}
