import { CampaignMoved } from '../campaigns/events'
import { progressOf } from '../campaigns/progress'
import { findCampaign } from '../campaigns/rows'
import { frame, type FrameEntry } from './frame-kinds'

/** What sockets hear of campaigns. */
export const campaignFrames: FrameEntry[] = [
  frame(CampaignMoved, {
    type: 'campaign:progress',
    resource: 'campaigns',
    audience: 'area',
    render(scope, { campaignId }, { atMs }) {
      const row = findCampaign(scope, campaignId)
      return row && progressOf(scope, row, atMs)
    },
  }),
]
