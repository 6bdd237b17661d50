import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { yieldToEventLoop } from '../../../infra/event-loop'
import { pauseAllIn } from '../../campaigns/run/pause-after-restore'
import { endAllIn } from '../../chatbot/engine/end-after-restore'
import { markUnknownIn } from '../../messages/outbound/mark-unknown-after-restore'
import { findOrganization } from '../../organizations/service'
import { failDueIn } from '../../scheduled-messages/fail-after-restore'
import { restartAllIn } from '../../transfers/restart-after-restore'

/** Messages or jobs that one transaction changes. */
const AT_ONCE = 100

/**
 * Marks the unsent messages of an organization that has moved away, some at a time, so that the transaction
 * in which it works here again finds few. Nothing else reads them as long as it has moved.
 */
export async function markUnknownInSlices(ctx: Ctx): Promise<void> {
  const areMoreLeft = (tx: Tx): boolean => {
    if (findOrganization(ctx, ctx.organizationId)?.state !== 'moved') return false
    const { messages, jobs } = markUnknownIn(tx, ctx, AT_ONCE)
    return messages === AT_ONCE || jobs === AT_ONCE
  }
  while (transact(ctx.db, areMoreLeft)) await yieldToEventLoop()
}

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
