import { and, count, eq, lte } from 'drizzle-orm'

import { DAY_MS, MINUTE_MS, type Clock } from '../../../lib/clock'
import { inOrganization } from '../../../infra/ctx'
import type { Db } from '../../../infra/db/connection'
import { withIndex } from '../../../infra/db/index-hint'
import { memberships } from './table'

/** Organizations whose number of members is remembered. */
const MAX_REMEMBERED = 10_000

/**
 * Returns a function that returns how many active members of an organization have been members for a
 * day, as it was at most a minute ago: it is asked at each request.
 */
export function createLongStandingMembers(deps: {
  db: Db
  clock: Clock
}): (organizationId: string) => number {
  const { db, clock } = deps
  const known = new Map<string, { members: number; untilMs: number }>()
  const read = (organizationId: string): number =>
    db.orm
      .select({ members: count() })
      .from(withIndex(memberships, 'memberships_recent'))
      .where(
        inOrganization(
          { organizationId },
          memberships,
          and(
            lte(memberships.createdAtMs, clock.nowMs() - DAY_MS),
            eq(memberships.isActive, true),
            eq(memberships.isDisabled, false),
          ),
        ),
      )
      .get()?.members ?? 0
  return (organizationId) => {
    const nowMs = clock.nowMs()
    const remembered = known.get(organizationId)
    // A time in the far future was noted before the clock was set back.
    if (remembered && nowMs < remembered.untilMs && remembered.untilMs <= nowMs + MINUTE_MS)
      return remembered.members
    const members = read(organizationId)
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(organizationId, { members, untilMs: nowMs + MINUTE_MS })
    return members
  }
}
