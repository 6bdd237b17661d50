import { Type, type Static } from '@sinclair/typebox'

/** The public key of a number's Flow data endpoint. The private key is in no response. */
export const FlowKeyView = Type.Object(
  {
    public_key: Type.Union([Type.String(), Type.Null()], {
      description: 'PEM. `null` before the first key is created.',
    }),
    signature_status: Type.Union([Type.String(), Type.Null()], {
      description: 'VALID or MISMATCH, as reported by the platform.',
    }),
    created_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { title: 'FlowKey' },
)
export type FlowKeyView = Static<typeof FlowKeyView>
