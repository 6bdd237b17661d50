import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/** Attempts before giving up on errors other than a refusal. The contact stays blocked here. */
const MAX_ATTEMPTS = 5

/** Blocks or unblocks a contact on the platform. */
export const BlockOnPlatform = job(
  'contact.block-on-platform',
  Type.Object({ contactId: Type.String(), accountId: Type.String(), isBlocked: Type.Boolean() }),
  { queue: 'default', maxAttempts: MAX_ATTEMPTS },
)

/** Removes the values of a deleted custom field from contacts, one batch at a time. */
export const ClearAttribute = job(
  'contact-attribute.clear',
  Type.Object({ key: Type.String(), after: Type.String() }),
  { queue: 'default' },
)
