import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { pauseAllIn } from '../../campaigns/run/pause-after-restore'
import { endAllIn } from '../../chatbot/engine/end-after-restore'
import { markUnknownIn } from '../../messages/outbound/mark-unknown-after-restore'
import { failDueIn } from '../../scheduled-messages/fail-after-restore'
import { restartAllIn } from '../../transfers/restart-after-restore'

/**
 * Stops what an organization was about to do when it moved away, in the transaction in which it works
 * here again: the other cell may have done it. It is what a restore does.
 */
export function treatAsRestoredIn(tx: Tx, ctx: Ctx): void {
  markUnknownIn(tx, ctx)
  pauseAllIn(tx, ctx)
  failDueIn(tx, ctx)
  endAllIn(tx, ctx)
  restartAllIn(tx, ctx)
}
