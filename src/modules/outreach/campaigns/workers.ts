import { HOUR_MS, MINUTE_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { defineCalendarSchedule, defineSchedule } from '../../../infra/jobs/define-schedule'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { failIn } from '../../data/imports/finish'
import type { FileImportWork as ImportWork } from '../../data/imports/importer'
import { runImport } from '../../data/imports/run'
import { endPartIn } from '../../data/privacy/erasure-steps'
import { countErasedIn } from '../../data/privacy/requests'
import { copyKeyOf } from './draft/copy-key'
import { continueCopyIn, notifyIncompleteIn } from './draft/copy-recipients'
import {
  CompareCampaignCounts,
  CopyRecipients,
  DispatchCampaign,
  EraseContactRecipients,
  EraseRecipientNumbers,
  EraseRecipients,
  ImportRecipients,
  PlanCampaign,
  PublishCampaignChange,
  RetryRecipients,
  StartDueCampaign,
  SweepCampaigns,
  WatchAccount,
  WatchTemplate,
  WithdrawMessages,
} from './jobs'
import { eraseContactIn, eraseNumbersIn, eraseRecipientBatchIn } from './recipients/erase'
import { recipientWork } from './recipients/import-row'
import { publishHeldBackIn } from './results/publish-throttled'
import { correctCounts } from './run/correct-counts'
import { dispatchIn } from './run/dispatch'
import { pauseAutomaticallyIn } from './run/pause-automatically'
import { planIn } from './run/plan'
import { enqueueRetryIn, retryBatchIn } from './run/retry-failed'
import { startDueIn } from './run/start'
import { sweepCampaigns } from './run/sweep'
import { watchAccountIn, watchTemplateIn } from './run/watch'
import { withdrawIn } from './run/withdraw'

const SERVER_ERROR = 'The server failed unexpectedly.'

const pauseAfterErrorIn = (tx: Tx, ctx: Ctx, { campaignId }: { campaignId: string }): void =>
  pauseAutomaticallyIn(tx, ctx, campaignId, { reason: 'error_rate', note: SERVER_ERROR })

const runWorkers = [
  workInTransaction(StartDueCampaign, (tx, ctx, args) => startDueIn(tx, ctx, args)),

  workInTransaction(
    PlanCampaign,
    (tx, ctx, at) => {
      const next = planIn(tx, ctx, at)
      if (next !== null)
        enqueue(tx, ctx, PlanCampaign, { args: next, orderingKey: `plan:${next.campaignId}` })
    },
    { isKept: false, whenDiscarded: pauseAfterErrorIn },
  ),

  workInTransaction(
    DispatchCampaign,
    (tx, ctx, { campaignId }) => dispatchIn(tx, ctx, campaignId),
    {
      isKept: false,
      whenDiscarded: pauseAfterErrorIn,
    },
  ),

  workInTransaction(
    RetryRecipients,
    (tx, ctx, args) => {
      const next = retryBatchIn(tx, ctx, args)
      if (next) enqueueRetryIn(tx, ctx, next)
    },
    { isKept: false },
  ),

  workInTransaction(
    WithdrawMessages,
    (tx, ctx, { campaignId }) => (withdrawIn(tx, ctx, campaignId) ? { snoozeMs: 0 } : undefined),
    { isKept: false },
  ),

  workInTransaction(
    PublishCampaignChange,
    (tx, ctx, { campaignId }) => publishHeldBackIn(tx, ctx, campaignId),
    { isKept: false },
  ),

  workInTransaction(WatchAccount, (tx, ctx, { accountId }) => watchAccountIn(tx, ctx, accountId), {
    isKept: false,
  }),

  workInTransaction(
    WatchTemplate,
    (tx, ctx, { templateId, changed }) => watchTemplateIn(tx, ctx, { templateId, changed }),
    { isKept: false },
  ),

  work(SweepCampaigns, async (ctx) => {
    await sweepCampaigns(ctx)
  }),

  work(
    CompareCampaignCounts,
    async (ctx) => {
      for (const { organizationId, campaignId, ...difference } of await correctCounts(ctx))
        ctx.log.error(
          { organization_id: organizationId, campaign_id: campaignId, ...difference },
          'campaign counter was wrong; corrected',
        )
    },
    { timeoutMs: 30 * MINUTE_MS },
  ),
]

const recipientWorkers = [
  workInTransaction(
    CopyRecipients,
    (tx, ctx, at) => {
      const next = continueCopyIn(tx, ctx, at)
      if (next !== null)
        enqueue(tx, ctx, CopyRecipients, { args: next, orderingKey: copyKeyOf(next.to) })
    },
    {
      isKept: false,
      whenDiscarded: (tx, ctx, { to }) => void notifyIncompleteIn(tx, ctx, to, SERVER_ERROR),
    },
  ),

  work(
    ImportRecipients,
    (ctx, { importId }) =>
      runImport(ctx, importId, {
        workOf: () => recipientWork as unknown as ImportWork<unknown>, // its reader returns the rows its doer takes
        permission: 'campaigns:create',
      }),
    {
      timeoutMs: HOUR_MS,
      whenDiscarded: (tx, ctx, { importId }) =>
        void failIn(tx, ctx, importId, { code: 'internal_error', message: SERVER_ERROR }),
    },
  ),

  workInTransaction(
    EraseRecipients,
    (tx, ctx, at) => {
      const next = eraseRecipientBatchIn(tx, ctx, at)
      if (next !== null)
        enqueue(tx, ctx, EraseRecipients, { args: { campaignId: at.campaignId, after: next } })
    },
    { isKept: false },
  ),

  workInTransaction(
    EraseContactRecipients,
    (tx, ctx, { contactId, reason, requestId }) => {
      const erasedCount = reason === 'erased' ? eraseContactIn(tx, ctx, contactId) : 0
      if (requestId !== undefined)
        endPartIn(tx, ctx, requestId, { campaign_recipients: erasedCount })
    },
    { isKept: false },
  ),

  workInTransaction(
    EraseRecipientNumbers,
    (tx, ctx, args) => {
      const { next, erasedCount } = eraseNumbersIn(tx, ctx, {
        traces: args.traces,
        after: args.after ?? null,
      })
      const erased = { campaign_recipients: erasedCount }
      if (next) {
        if (args.requestId !== undefined) countErasedIn(tx, ctx, args.requestId, erased)
        enqueue(tx, ctx, EraseRecipientNumbers, { args: { ...args, after: next } })
      } else if (args.requestId !== undefined) endPartIn(tx, ctx, args.requestId, erased)
    },
    { isKept: false },
  ),
]

export const campaignWorkers = [...runWorkers, ...recipientWorkers]

export const campaignSchedules = [
  defineSchedule(MINUTE_MS, SweepCampaigns),
  defineCalendarSchedule({ cron: '30 3 * * *', timeZone: 'UTC' }, CompareCampaignCounts),
]
