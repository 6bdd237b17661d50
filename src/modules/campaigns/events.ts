import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/** A campaign's state or its counters moved; what they are now is read when it is shown. */
export const CampaignMoved = defineEvent(
  'campaign.moved',
  Type.Object({ campaignId: Type.String() }),
)

/** A campaign came to another state: `started`, `paused`, `resumed`, `completed` or `cancelled`. */
export const CampaignTurned = defineEvent(
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
