import { Type, type Static } from '@sinclair/typebox'

import { ContactView } from '../model'

const REASONS = ['number_variant', 'same_user_id', 'same_email'] as const

/** Two contacts that may be the same person. */
export const DuplicateView = Type.Object(
  {
    contacts: Type.Array(ContactView, { minItems: 2, maxItems: 2 }),
    reason: Type.String({ enum: [...REASONS] }),
  },
  { title: 'Duplicate' },
)
export type DuplicateView = Static<typeof DuplicateView>
export type DuplicateReason = (typeof REASONS)[number]
