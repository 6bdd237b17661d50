import { Type } from '@sinclair/typebox'

import { job } from '../../infra/jobs/job'

/** Fetches the templates of one business account of an organization. */
export const SyncTemplates = job('template.sync', Type.Object({ businessId: Type.String() }), {
  queue: 'default',
  maxAttempts: 5,
})

/** Enqueues a sync for each connected business account. */
export const SyncAllTemplates = job('template.sync-all', Type.Object({}), { queue: 'default' })
