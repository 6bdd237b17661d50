import { Type } from '@sinclair/typebox'

import { job } from '../../infra/jobs/job'

/** Counts everything of an organization again that is still stored. */
export const RebuildRollups = job('analytics.rebuild', Type.Object({ part: Type.Integer() }), {
  queue: 'default',
})

/** Adds the counts of an organization's past quarter hours to days, and of old days to months. */
export const FoldRollups = job('analytics.fold', Type.Object({}), { queue: 'default' })

/** Starts `FoldRollups` in each organization that has something to move. */
export const FoldDueRollups = job('analytics.fold-due', Type.Object({}), { queue: 'default' })
