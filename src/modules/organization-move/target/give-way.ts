import { INSTALLATION, systemCtx, type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { stopWorkingIn } from '../../accounts/arrive'
import { findMoveImport } from '../../organization-import/queries'
import { findOrganization, markMovedIn } from '../../organizations/service'
import { notifySuperAdminsIn } from '../../users/notify-super-admins'
import { KEPT_MS, type MoveFacts } from '../protocol'

/**
 * Lets an organization that moved here work in the cell it came from again, because the operator there
 * stated that this cell was lost. Does nothing if it does not work here.
 */
export function giveWay(ctx: Ctx, { move, cell, organization }: MoveFacts): void {
  transact(ctx.db, (tx) => {
    const arrived = findMoveImport(ctx, move)
    const row = findOrganization(ctx, organization)
    if (arrived?.state !== 'completed' || arrived.fromCell !== cell || row?.state !== 'active')
      return
    stopWorkingIn(tx, systemCtx(ctx, organization))
    markMovedIn(tx, organization, { movedTo: cell, deletesAtMs: ctx.clock.nowMs() + KEPT_MS })
    notifySuperAdminsIn(tx, systemCtx(ctx, INSTALLATION), {
      kind: 'organization_moved',
      severity: 'critical',
      title: 'Organization stopped',
      body:
        `${row.name} works at ${cell}: its operator stated that this server was lost. What came in ` +
        'here since is kept for 30 days.',
    })
  })
}
