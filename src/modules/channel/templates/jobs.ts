import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'
import { AccountChanged } from '../accounts/events'

/** Fetches the templates of one business account of an organization. */
export const SyncTemplates = job('template.sync', Type.Object({ businessId: Type.String() }), {
  queue: 'default',
  maxAttempts: 5,
})

/** Opts a business account out of changes to its marketing messages. */
export const OptOutBusiness = job(
  'template.opt-out-business',
  Type.Object({ businessId: Type.String() }),
  { queue: 'default', maxAttempts: 10 },
)

/** Has the business account of a connected number opted out. */
export const OptOutConnected = job('template.opt-out-connected', AccountChanged.payload, {
  queue: 'default',
})

/** Enqueues a sync for each connected business account. */
export const SyncAllTemplates = job('template.sync-all', Type.Object({}), { queue: 'default' })
