import { InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { recordTransferIn } from './audit'
import { changeTransferIn } from './change'
import { requireOwnTransfer } from './end'
import type { TransferChange, TransferDetails } from './model'
import { getListableTransfer, getTransfer } from './queries'
import { requireActive } from './references'

/**
 * Changes notes and priority of a transfer. Throws NotFoundError, ForbiddenError for a transfer of
 * someone else without `transfers:assign`, InvalidError, and ConflictError `transfer_ended`.
 */
export function editTransfer(ctx: Ctx, id: string, change: TransferChange): TransferDetails {
  return transact(ctx.db, (tx) => {
    const before = getListableTransfer(ctx, id)
    requireOwnTransfer(ctx, before)
    requireActive(before)
    if (change.notes === undefined && change.priority === undefined)
      throw new InvalidError('`notes` or `priority` is required.', {
        code: 'invalid_input',
        errors: [{ path: 'body', message: 'must not be empty' }],
      })
    const { notes = before.notes, priority = before.priority } = change
    const changed = [
      ...(notes === before.notes ? [] : ['notes']),
      ...(priority === before.priority ? [] : ['priority']),
    ]
    if (changed.length > 0) {
      const after = changeTransferIn(
        tx,
        ctx,
        before,
        { notes, priority },
        { kind: 'edited', changed, details: { fields: changed } },
      )
      recordTransferIn(tx, ctx, 'updated', { before, after })
    }
    return getTransfer(ctx, id)
  })
}
