import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { findMoveImport } from '../../organization-import/queries'
import { findOrganization } from '../../../organization/organizations/service'
import type { MoveFacts } from '../protocol'
import { stopHereIn } from '../stop-here'

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
    const reason = 'its operator stated that this server was lost'
    stopHereIn(tx, ctx, row, { cell, moves: row.moves + 1, reason })
  })
}
