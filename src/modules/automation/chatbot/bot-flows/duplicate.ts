import { foldText } from '../../../../lib/fold-text'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { of } from '../../../../infra/scoped'
import { insertBotFlowIn } from './create'
import { currentGraph, requireBotFlow, rereadGraph, viewOf } from './find'
import type { BotFlowView } from './model'
import { openCompletionHeaders } from './secrets'
import { botFlows } from './table'
import { compileAhead } from './validate/compile-ahead'

/** Numbers that are tried for the name of a copy. */
const MAX_TRIES = 500
const MAX_NAME = 255

/**
 * Copies a bot flow with its header values, disabled, its graph as a draft. Throws NotFoundError and
 * ConflictError (`name_taken`, `limit_reached`).
 */
export async function duplicateBotFlow(
  ctx: Ctx,
  id: string,
  name: string | undefined,
): Promise<BotFlowView> {
  await compileAhead(ctx, currentGraph(ctx, requireBotFlow(ctx, id)).graph)
  return transact(ctx.db, (tx) => {
    const row = requireBotFlow(ctx, id)
    const copyId = ctx.ids.next()
    const copy = insertBotFlowIn(
      tx,
      ctx,
      {
        id: copyId,
        input: {
          name: name ?? freeName(ctx, row.name),
          description: row.description,
          account_id: row.accountId,
          trigger_keywords: row.triggerKeywords,
          trigger_match_type: row.triggerMatchType,
          priority: row.priority,
        },
        publishes: false,
        settings: {
          settings: row.settings,
          completionHeaders: openCompletionHeaders(ctx, id, row.completionHeadersSealed),
        },
      },
      rereadGraph(ctx, row, currentGraph(ctx, row), copyId),
    )
    return viewOf(ctx, copy)
  })
}

/** Returns the name with the first number that is free. */
function freeName(ctx: Ctx, name: string): string {
  for (let number = 2; number < MAX_TRIES; number++) {
    const end = ` (${number})`
    const tried = [...name].slice(0, MAX_NAME - end.length).join('') + end
    const taken = of(ctx, botFlows).find({ nameKey: foldText(tried), deletedAtMs: null })
    if (!taken) return tried
  }
  return name
}
