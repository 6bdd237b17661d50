import { HOUR_MS, MINUTE_MS } from '../../../lib/clock'
import { enqueue } from '../../../infra/jobs/enqueue'
import { retryDiscardedIn } from '../../../infra/jobs/admin-actions'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { checkBackups, runBackup } from './backups/run'
import { runVerification } from './backups/verify'
import {
  CheckBackups,
  MakeBackup,
  NoteFigures,
  PruneOldData,
  ReencryptSecrets,
  RetryDiscardedJobs,
  VerifyBackup,
} from './jobs'
import { noteFigures } from './health/figures'
import { reencryptBatchIn } from './key-rotation/rotate'
import { pruneOldData } from './prune'

export const systemWorkers = [
  work(PruneOldData, (ctx) => pruneOldData(ctx), { timeoutMs: 10 * MINUTE_MS }),

  work(NoteFigures, (ctx) => noteFigures(ctx)),

  workInTransaction(RetryDiscardedJobs, (tx, ctx, args) => {
    const filter = {
      kind: args.kind ?? undefined,
      fromMs: args.fromMs ?? undefined,
      toMs: args.toMs,
      isWholeInstallation: args.isWholeInstallation === true,
    }
    const after = retryDiscardedIn(tx, ctx, { filter, after: args.after })
    if (after !== null) enqueue(tx, ctx, RetryDiscardedJobs, { args: { ...args, after } })
  }),

  work(
    MakeBackup,
    (ctx, args) => runBackup(ctx, { ...args, jobId: ctx.jobId, program: ctx.version }),
    { timeoutMs: 6 * HOUR_MS },
  ),

  work(VerifyBackup, (ctx, { id }) => runVerification(ctx, id), { timeoutMs: 6 * HOUR_MS }),

  work(CheckBackups, (ctx) => Promise.resolve(checkBackups(ctx))),

  workInTransaction(ReencryptSecrets, (tx, ctx, at) => reencryptBatchIn(tx, ctx, at), {
    isKept: false,
  }),
]

export const systemSchedules = [
  defineSchedule(HOUR_MS / 4, PruneOldData),
  defineSchedule(10 * MINUTE_MS, CheckBackups),
  defineSchedule(5 * MINUTE_MS, NoteFigures),
]
