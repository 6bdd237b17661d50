import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/** Fetches the Flows of a phone number's business account after a webhook named an unknown Flow. */
export const SyncFlows = job('flow.sync', Type.Object({ accountId: Type.String() }), {
  queue: 'default',
  maxAttempts: 5,
})

/** Directs the endpoints of the Flows of a number that began to work here to this cell. */
export const DirectEndpoints = job(
  'flow.direct-endpoints',
  Type.Object({ accountId: Type.String() }),
  { queue: 'default' },
)
