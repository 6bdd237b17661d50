import { Type } from '@sinclair/typebox'

import { defineTransactionJob } from '../../../infra/jobs/define'
import { pauseAutomaticallyIn } from '../run/pause-automatically'
import { dispatchIn } from '../run/dispatch'

/**
 * Makes the next messages of a campaign, as many as are to wait ahead of the calls; goes on until
 * nobody is left.
 */
export const dispatchCampaign = defineTransactionJob({
  name: 'campaign.dispatch',
  lane: 'default',
  args: Type.Object({ campaignId: Type.String() }),
  isKept: false,
  run: (tx, ctx, { campaignId }) => dispatchIn(tx, ctx, campaignId),
  whenDiscarded: (tx, ctx, { campaignId }) =>
    pauseAutomaticallyIn(tx, ctx, campaignId, {
      reason: 'error_rate',
      note: 'It could not go on because of an error of this server.',
    }),
})
