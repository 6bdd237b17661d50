import { Type } from '@sinclair/typebox'

import { defineTransactionJob } from '../../../infra/jobs/define'
import { startDueIn } from '../run/start'

/** Starts a campaign at the time it was scheduled for. */
export const startDueCampaign = defineTransactionJob({
  name: 'campaign.start',
  lane: 'default',
  args: Type.Object({ campaignId: Type.String(), scheduledAtMs: Type.Integer() }),
  run: (tx, ctx, due) => startDueIn(tx, ctx, due),
})
