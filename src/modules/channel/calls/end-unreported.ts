import { and, eq, lt } from 'drizzle-orm'

import { HOUR_MS } from '../../../lib/clock'
import { systemCtx, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { organizations } from '../../organization/organizations/table'
import { endUnreportedIn } from './record'
import { calls } from './table'

/** How long a call can ring before its end counts as lost. */
const RINGS_AT_MOST_MS = HOUR_MS

/** Maximum number of calls ended in one transaction. */
const AT_ONCE = 25

/**
 * Ends up to 25 calls of all organizations as missed that began more than an hour ago and still
 * ring, because the platform never reported their end. Returns whether there may be more.
 */
export function endUnreportedCallsIn(tx: Tx, ctx: Ctx): boolean {
  const ringing = tx
    .select({ call: calls })
    .from(organizations)
    // Keeps the order of the tables, so that each organization's ringing calls come from an index.
    .crossJoin(calls)
    .where(
      inWorkingOrganizations(
        'ringing calls are found for all organizations at once',
        calls,
        and(
          eq(calls.organizationId, organizations.id),
          eq(calls.state, 'ringing'),
          lt(calls.timestampMs, ctx.clock.nowMs() - RINGS_AT_MOST_MS),
        ),
      ),
    )
    .limit(AT_ONCE)
    .all()
  for (const { call } of ringing) endUnreportedIn(tx, systemCtx(ctx, call.organizationId), call)
  return ringing.length === AT_ONCE
}
