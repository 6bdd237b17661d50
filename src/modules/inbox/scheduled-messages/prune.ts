import { inArray, lt, notInArray, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { type Deps } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { transact } from '../../../infra/db/transact'
import { organizationsOnHold } from '../../organization/organizations/retention/service'
import { scheduledMessages } from './table'

/** How long an ended message is kept: the shortest retention of messages. */
const KEPT_MS = 7 * DAY_MS

const BATCH = 500

/**
 * Deletes a batch of scheduled messages that ended 7 days ago, except in organizations on legal
 * hold. Returns the number deleted.
 */
export function pruneScheduled(deps: Deps): number {
  const why = 'ended messages are pruned for all organizations at once'
  return transact(deps.db, (tx) => {
    const old = tx
      .select({ id: scheduledMessages.id })
      .from(scheduledMessages)
      .where(
        inWorkingOrganizations(
          why,
          scheduledMessages,
          sql`${lt(scheduledMessages.endedAtMs, deps.clock.nowMs() - KEPT_MS)} and ${notInArray(scheduledMessages.organizationId, organizationsOnHold(deps))}`,
        ),
      )
      .limit(BATCH)
      .all()
      .map(({ id }) => id)
    if (old.length > 0)
      tx.delete(scheduledMessages)
        .where(inWorkingOrganizations(why, scheduledMessages, inArray(scheduledMessages.id, old)))
        .run()
    return old.length
  })
}
