import { Type, type Static } from '@sinclair/typebox'

/** The routing of a number: the party that answers its customers. */
export const RoutingView = Type.Object(
  {
    shared: Type.Boolean({
      description:
        "Whether another app or the platform's own agent has ever answered customers of this number.",
    }),
    roles: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description:
        'Roles of this app in the routing of the number: `customer_service`, `marketing`, ' +
        '`utility`, `ctwa`, `calls`, `escalation`, or later ones. `null` if the platform does not ' +
        'tell. Empty: nothing that customers write arrives, unless `is_standby` is `true`.',
    }),
    is_standby: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'Whether this app sees the messages that others answer. `null` if the platform does not tell.',
    }),
    checked_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When the platform was last asked about the number.',
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
  { title: 'NumberRouting' },
)
export type RoutingView = Static<typeof RoutingView>
