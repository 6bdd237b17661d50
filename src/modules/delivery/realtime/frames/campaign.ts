import { CampaignChanged } from '../../../outreach/campaigns/events'
import { progressOf } from '../../../outreach/campaigns/results/progress'
import { findCampaign } from '../../../outreach/campaigns/state'
import { frame, type FrameEntry } from './kind'

/** Frames about campaigns. */
export const campaignFrames: FrameEntry[] = [
  frame(CampaignChanged, {
    type: 'campaign:progress',
    resource: 'campaigns',
    audience: 'area',
    render(scope, { campaignId }, { atMs }) {
      const row = findCampaign(scope, campaignId)
      return row && progressOf(scope, row, atMs)
    },
  }),
]
