import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/** Deletes what one organization has kept long enough. If interrupted, it continues where it was. */
export const SweepRetention = job('retention.sweep', Type.Object({ date: Type.String() }), {
  queue: 'default',
})

/** Starts the nightly sweep of each organization that is due for one. */
export const StartDueSweeps = job('retention.start-due', Type.Object({}), { queue: 'default' })
