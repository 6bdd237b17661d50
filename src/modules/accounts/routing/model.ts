import { Type, type Static } from '@sinclair/typebox'

/** The routing of a number: the party that answers its customers. */
export const RoutingView = Type.Object(
  {
    shared: Type.Boolean({
      description:
        "Whether another app or the platform's own agent has ever answered customers of this number.",
    }),
    last_standby_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description:
        'When a message was last received that somebody else answers, to the minute. `null` if never.',
    }),
    counts_24h: Type.Object(
      {
        ours: Type.Integer(),
        platform_agent: Type.Integer(),
        other_app: Type.Integer(),
      },
      { description: 'Outgoing messages of the last 24 hours by who sent them.' },
    ),
  },
  { title: 'AccountRouting' },
)
export type RoutingView = Static<typeof RoutingView>
