import { INSTALLATION, systemCtx, type Deps } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import type { ReadChange } from '../../../platform/webhook/body'
import { PassOn } from '../jobs'
import { presenceOf } from '../process/route'
import { placeOf } from '../verify-signature'

/**
 * Enqueues passing the changes of a stored body on to the other cells, in the caller's transaction:
 * those of phone numbers and business accounts that are not here, and those that may concern several
 * cells. A body that another cell passed on must not come here. Does nothing without other cells.
 */
export function passOnIn(
  tx: Tx,
  deps: Deps,
  { bodyId, changes }: { bodyId: number; changes: ReadChange[] },
): void {
  const peers = deps.settings.cells?.peers ?? []
  if (peers.length === 0) return
  const unknown: string[] = []
  const shared: string[] = []
  for (const change of changes) {
    const presence = presenceOf(deps, change)
    if (presence === 'elsewhere') unknown.push(placeOf(change))
    if (presence === 'shared') shared.push(placeOf(change))
  }
  if (unknown.length + shared.length === 0) return
  const ctx = systemCtx(deps, INSTALLATION)
  for (const cell of peers) enqueue(tx, ctx, PassOn, { args: { bodyId, cell, unknown, shared } })
}
