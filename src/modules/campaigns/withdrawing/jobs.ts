import { Type } from '@sinclair/typebox'

import { defineTransactionJob } from '../../../infra/jobs/define'
import { withdrawIn } from '../run/withdraw'

/** Takes back what a campaign that stopped has claimed, some messages at a time. */
export const withdrawMessages = defineTransactionJob({
  name: 'campaign.withdraw',
  lane: 'default',
  args: Type.Object({ campaignId: Type.String() }),
  isKept: false,
  run: (tx, ctx, { campaignId }) => (withdrawIn(tx, ctx, campaignId) ? { snoozeMs: 0 } : undefined),
})
