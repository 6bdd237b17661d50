import { Type } from '@sinclair/typebox'

import { defineTransactionJob, type TransactionJob } from '../../../infra/jobs/define'
import { enqueue } from '../../../infra/jobs/enqueue'
import { pauseAutomaticallyIn } from '../run/pause-automatically'
import { planIn, type Plan } from '../run/plan'

/** Settles whom a campaign is for, some recipients at a time. */
export const planCampaign: TransactionJob<Plan> = defineTransactionJob({
  name: 'campaign.plan',
  lane: 'default',
  args: Type.Object({
    campaignId: Type.String(),
    phase: Type.Union([Type.Literal('upload'), Type.Literal('audience')]),
    after: Type.String(),
    micros: Type.Union([Type.Integer(), Type.Null()]),
  }),
  isKept: false,
  run(tx, ctx, at) {
    const next = planIn(tx, ctx, at)
    if (next !== null)
      enqueue(tx, ctx, planCampaign, { args: next, serialKey: `campaign:${next.campaignId}` })
  },
  whenDiscarded: (tx, ctx, { campaignId }) =>
    pauseAutomaticallyIn(tx, ctx, campaignId, {
      reason: 'error_rate',
      note: 'It could not go on because of an error of this server.',
    }),
})
