import { Type } from '@sinclair/typebox'

import { defineTransactionJob } from '../../../infra/jobs/define'
import { publishHeldBackIn } from '../results/publish-throttled'

/**
 * Announces what was held back of a campaign. On a lane whose jobs only touch the database: nothing
 * slow stands before it.
 */
export const announceHeldBackCampaign = defineTransactionJob({
  name: 'campaign.announce',
  lane: 'inbound-status',
  args: Type.Object({ campaignId: Type.String() }),
  isKept: false,
  run: (tx, ctx, { campaignId }) => publishHeldBackIn(tx, ctx, campaignId),
})
