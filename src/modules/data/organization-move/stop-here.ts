import { INSTALLATION, systemCtx, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { stopWorkingIn } from '../../channel/accounts/arrive'
import { nameOfOrganization } from '../../organization/notifications/organization-names'
import { markMovedIn, type OrganizationRow } from '../../organization/organizations/service'
import { notifySuperAdminsIn } from '../../organization/users/notify-super-admins'
import { KEPT_MS } from './protocol'

/**
 * Stops an organization that works at `cell`, where it arrived with so many `moves`, and tells the super
 * admins why. Its rows are kept for 30 days. Runs inside the caller's transaction.
 */
export function stopHereIn(
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<OrganizationRow, 'id'>,
  { cell, moves, reason }: { cell: string; moves: number; reason: string },
): void {
  stopWorkingIn(tx, systemCtx(ctx, id))
  markMovedIn(tx, id, { movedTo: cell, moves, deletesAtMs: ctx.clock.nowMs() + KEPT_MS })
  notifySuperAdminsIn(tx, systemCtx(ctx, INSTALLATION), {
    kind: 'organization_moved',
    severity: 'critical',
    title: 'Organization stopped',
    body: `${nameOfOrganization(id)} works at ${cell}: ${reason}. What is here is kept for 30 days.`,
  })
}
