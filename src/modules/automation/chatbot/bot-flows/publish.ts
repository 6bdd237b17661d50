import { ConflictError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { differences, recordAudit } from '../../../organization/audit/record'
import { currentGraph, requireBotFlow, viewOf } from './find'
import type { BotFlowView } from './model'
import { changeBotFlowIn, publishDraftIn } from './update'
import { compileAhead } from './validate/compile-ahead'

/**
 * Publishes the draft of a bot flow as the next version. New sessions begin with it. Throws
 * NotFoundError, ConflictError `no_draft` and InvalidError `graph_invalid`.
 */
export async function publishBotFlow(ctx: Ctx, id: string): Promise<BotFlowView> {
  await compileAhead(ctx, currentGraph(ctx, requireBotFlow(ctx, id)).graph)
  return transact(ctx.db, (tx) => {
    const before = requireBotFlow(ctx, id)
    if (!before.hasDraft)
      throw new ConflictError('The flow has no draft to publish.', { code: 'no_draft' })
    const published = publishDraftIn(tx, ctx, before)
    const row = changeBotFlowIn(tx, ctx, id, published)
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'bot_flow',
      resourceId: id,
      resourceName: row.name,
      changes: differences({ version: before.version }, { version: row.version }),
    })
    return viewOf(ctx, row)
  })
}
