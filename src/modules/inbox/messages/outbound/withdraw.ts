import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { endWaitingJobs } from '../../../../infra/jobs/waiting-jobs'
import { recountSplitIn } from '../../conversations/merge'
import { deleteFlowDataIn } from '../../../channel/flows/send'
import { sendKey } from '../rules'
import { SendMessage } from '../jobs'
import { findMessageIn, isWaiting } from './delivery-state'
import { messageFiles, messages, messageTemplates, sendAttempts } from '../table'
import { recomputeContactIn } from '../../contacts/activity/recompute'

/**
 * Deletes an unsent message and ends its job. Returns `false` if it was submitted or has failed.
 */
export function withdrawMessageIn(tx: Tx, ctx: Ctx, messageId: string): boolean {
  const row = findMessageIn(tx, ctx, messageId)
  if (!row || !isWaiting(row)) return false
  const which = {
    kind: SendMessage.name,
    orderingKeys: [sendKey(row.contactId)],
    args: { messageId },
  }
  endWaitingJobs(tx, ctx, which, { state: 'cancelled', reason: 'withdrawn' })
  deleteFlowDataIn(tx, ctx, [messageId])
  for (const table of [sendAttempts, messageTemplates, messageFiles])
    tx.delete(table)
      .where(inOrganization(ctx, table, eq(table.messageId, messageId)))
      .run()
  tx.delete(messages)
    .where(inOrganization(ctx, messages, eq(messages.id, messageId)))
    .run()
  recountSplitIn(tx, ctx, [row.conversationId])
  recomputeContactIn(tx, ctx, row.contactId)
  return true
}
