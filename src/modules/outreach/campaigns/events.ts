import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'

/** The state or the counters of a campaign changed. Subscribers read the current values. */
export const CampaignChanged = defineEvent(
  'campaign.moved',
  Type.Object({ campaignId: Type.String() }),
)

/** A campaign was started, paused, resumed, completed or canceled. */
export const CampaignStateChanged = defineEvent(
  'campaign.turned',
  Type.Object({
    campaignId: Type.String(),
    turn: Type.Union([
      Type.Literal('started'),
      Type.Literal('paused'),
      Type.Literal('resumed'),
      Type.Literal('completed'),
      Type.Literal('cancelled'),
    ]),
  }),
)
