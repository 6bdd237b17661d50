import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/**
 * Moves an organization to another cell, step by step. It belongs to the installation, because the
 * jobs of the organization wait meanwhile. A kill counts as an attempt, so there are many.
 */
export const MoveOrganization = job(
  'organization.move',
  Type.Object({ organizationId: Type.String(), moveId: Type.String() }),
  { queue: 'default', maxAttempts: 1_000 },
)

/** Deletes archives of moves that nobody needs any more. */
export const ClearMoves = job('organization.clear-moves', Type.Object({}), { queue: 'default' })

/** Asks the other cells whether the organizations that moved there work there. */
export const WatchMoved = job('organization.watch-moved', Type.Object({}), { queue: 'default' })

/**
 * Asks the other cells after a restore whether organizations work there that had not moved yet when the
 * backup was made. A cell that is down is asked again for about a day.
 */
export const AskAfterRestore = job('organization.ask-after-restore', Type.Object({}), {
  queue: 'default',
  maxAttempts: 100,
})

/** Lets organizations work that wait for the answers of other cells after a restore. */
export const ThawAfterRestore = job('organization.thaw-after-restore', Type.Object({}), {
  queue: 'default',
})
