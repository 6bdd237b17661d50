import { Type, type Static } from '@sinclair/typebox'

import { COUNTERS, PauseReasonView, StatusView, Text, Uuid, timeOrNull } from '../model'

/** The progress, speed and most frequent errors of a campaign. */
export const ProgressView = Type.Object(
  {
    campaign_id: Uuid,
    status: StatusView,
    pause_reason: PauseReasonView,
    ...COUNTERS,
    rate_per_minute: Type.Integer(),
    eta_at: timeOrNull,
    eta_seconds: Type.Union([Type.Integer(), Type.Null()]),
    errors: Type.Array(Type.Object({ code: Text, message: Text, count: Type.Integer() }), {
      description: 'Most frequent first, up to 50.',
    }),
  },
  { title: 'CampaignProgress' },
)
export type ProgressView = Static<typeof ProgressView>

/** Results of a campaign by hour or day. */
export const FunnelView = Type.Object(
  {
    interval: Type.String({ enum: ['hour', 'day'] }),
    series: Type.Array(
      Type.Object({
        at: Type.String({
          format: 'date-time',
          description: 'Start of the hour or day in the campaign’s time zone.',
        }),
        sent: Type.Integer(),
        delivered: Type.Integer(),
        read: Type.Integer(),
        replied: Type.Integer(),
        clicked: Type.Integer(),
        failed: Type.Integer(),
      }),
    ),
  },
  { title: 'CampaignFunnel' },
)
export type FunnelView = Static<typeof FunnelView>
