import { Type } from '@sinclair/typebox'

import { MINUTE_MS } from '../../lib/clock'
import { defineJob, defineTransactionJob } from '../../infra/jobs/define'
import { defineCalendarSchedule, defineSchedule } from '../../infra/jobs/schedule'
import { AccountChanged } from '../accounts/events'
import { TemplateChanged } from '../templates/events'
import { watchAccountIn, watchTemplateIn } from './run/watch'
import { compareCounts, sweepCampaigns } from './run/sweep'

/**
 * Pauses the campaigns of a number that cannot send any more, and lets those look again that wait
 * for it.
 */
export const watchAccount = defineTransactionJob({
  name: 'campaign.watch-account',
  lane: 'default',
  args: AccountChanged.payload,
  isKept: false,
  run: (tx, ctx, { accountId }) => watchAccountIn(tx, ctx, accountId),
})

/** Pauses the campaigns of a template that cannot be sent any more or has got another category. */
export const watchTemplate = defineTransactionJob({
  name: 'campaign.watch-template',
  lane: 'default',
  args: TemplateChanged.payload,
  isKept: false,
  run: (tx, ctx, { templateId, changed }) => watchTemplateIn(tx, ctx, { templateId, changed }),
})

/** Lets campaigns get on whose pause has ended or whose job was lost. */
export const sweepAllCampaigns = defineJob({
  name: 'campaign.sweep',
  lane: 'default',
  args: Type.Object({}),
  run: async (ctx) => {
    await sweepCampaigns(ctx)
  },
})

/** Compares the counters of campaigns with their recipients, every night. */
export const compareAllCounts = defineJob({
  name: 'campaign.compare',
  lane: 'default',
  args: Type.Object({}),
  timeoutMs: 30 * MINUTE_MS,
  run: async (ctx) => {
    for (const { organizationId, campaignId, ...difference } of await compareCounts(ctx))
      ctx.log.error(
        { organization_id: organizationId, campaign_id: campaignId, ...difference },
        'a counter of a campaign had drifted',
      )
  },
})

export const campaignSchedules = [
  defineSchedule('sweeping campaigns', MINUTE_MS, sweepAllCampaigns),
  defineCalendarSchedule(
    'comparing the counters of campaigns',
    { cron: '30 3 * * *', timeZone: 'UTC' },
    compareAllCounts,
  ),
]
