import { and, eq, lte, sql } from 'drizzle-orm'

import { INSTALLATION, inOrganization, systemCtx, type Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { costTotals } from '../../inbox/messages/cost/table'
import { setOrganizationStateIn } from '../../organization/organizations/service'
import { organizations } from '../../organization/organizations/table'
import { EraseOrganization } from './jobs'
import { erasedOrganizations } from './table'

/**
 * Starts the erasure of an organization, in the caller's transaction. Nothing stops it then. With
 * `keepsCosts` false, the books keep nothing of it: it was never here.
 */
export function startErasureIn(
  tx: Tx,
  deps: Deps,
  organizationId: string,
  { keepsCosts = true }: { keepsCosts?: boolean } = {},
): void {
  const recordId = deps.ids.next()
  const costs = keepsCosts ? costsOf(tx, organizationId) : []
  tx.insert(erasedOrganizations)
    .values({ id: recordId, startedAtMs: deps.clock.nowMs(), costs: JSON.stringify(costs) })
    .run()
  setOrganizationStateIn(tx, organizationId, { state: 'erasing', deletesAtMs: null })
  enqueue(tx, systemCtx(deps, INSTALLATION), EraseOrganization, {
    args: { organizationId, recordId },
  })
}

const costsOf = (tx: Tx, organizationId: string) =>
  tx
    .select({
      month: costTotals.month,
      currency: costTotals.currency,
      settled_micros: sql<number>`sum(${costTotals.settledMicros})`,
      estimated_micros: sql<number>`sum(${costTotals.estimatedMicros})`,
    })
    .from(costTotals)
    .where(inOrganization({ organizationId }, costTotals))
    .groupBy(costTotals.month, costTotals.currency)
    .all()

/** Starts the erasure of all organizations that were deleted and whose time is over. */
export function startDueErasures(deps: Deps): void {
  transact(deps.db, (tx) => {
    const due = tx
      .select({ id: organizations.id })
      .from(organizations)
      .where(
        and(
          eq(organizations.state, 'deleting'),
          lte(organizations.deletesAtMs, deps.clock.nowMs()),
        ),
      )
      .all()
    for (const { id } of due) startErasureIn(tx, deps, id)
  })
}
