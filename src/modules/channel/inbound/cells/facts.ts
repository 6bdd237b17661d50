import { Type, type Static } from '@sinclair/typebox'

import { UUID_PATTERN } from '../../../../lib/ids'

/** The path at which a cell takes deliveries from other cells. */
export const DELIVERIES_PATH = '/api/cells/deliveries'

const Places = Type.Array(Type.String({ pattern: '^\\d{1,6} \\d{1,6}$' }), { maxItems: 20_000 })

/** What a cell says about a delivery that it passes on. */
export const DeliveryFacts = Type.Object({
  /** Address of the cell that passes it on. */
  cell: Type.String({ minLength: 1, maxLength: 300 }),
  /** How often it was passed on, this time included. */
  hops: Type.Integer({ minimum: 1 }),
  /** Whose secret signed the delivery of the platform: `app`, or the IDs of accounts that share it. */
  signed_by: Type.String({ pattern: `^(?:app|${UUID_PATTERN}(?: ${UUID_PATTERN})*)$` }),
  /** Positions (`entry change`) of the changes of which the sender lacks an account. */
  unknown: Places,
  /** Positions of the changes that concern accounts of the sender and perhaps of others. */
  shared: Places,
})
export type DeliveryFacts = Static<typeof DeliveryFacts>

/** What a cell answers: which of the changes concern its accounts. */
export const DeliveryAnswer = Type.Object(
  {
    known: Type.Boolean({
      description: 'Whether a change concerns an account of this server.',
    }),
    changes: Type.Array(Type.String({ description: 'Position of such a change: entry, change.' })),
  },
  { title: 'CellDeliveryAnswer', examples: [{ known: true, changes: ['0 0'] }] },
)
export type DeliveryAnswer = Static<typeof DeliveryAnswer>
