import { eq } from 'drizzle-orm'

import { foldText } from '../../../../lib/fold-text'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { differences, HIDDEN, recordAudit } from '../../../organization/audit/record'
import { watchHumanPathIn } from '../../chatbot-settings/human-path'
import { draftCannotStart, requireFreeName, requireStorable, wordsOf } from './create'
import { currentGraph, openIn, requireBotFlow, rereadGraph, storedHeaders, viewOf } from './find'
import type { BotFlowChanges, BotFlowView } from './model'
import type { BotFlowRow } from './queries'
import { readSettings } from './read-settings'
import { openCompletionHeaders, sealCompletionHeaders } from './secrets'
import { storeDraftIn, storeVersionIn } from './store'
import { botFlows } from './table'
import { compileAhead } from './validate/compile-ahead'
import { readGraph } from './validate/read-graph'
import { fieldsOf } from './view'

/**
 * Changes the given fields of a bot flow. A graph takes effect at once in an enabled flow, unless
 * `publish` is false; enabling a flow that was never published publishes its draft. Throws
 * NotFoundError, InvalidError (`graph_invalid`, `url_refused`, `invalid_input`) and ConflictError
 * `name_taken`.
 */
export async function updateBotFlow(
  ctx: Ctx,
  id: string,
  changes: BotFlowChanges,
): Promise<BotFlowView> {
  await compileAhead(ctx, changes.graph ?? currentGraph(ctx, requireBotFlow(ctx, id)).graph)
  return transact(ctx.db, (tx) => {
    const before = requireBotFlow(ctx, id)
    const graph = storeGraphIn(tx, ctx, before, changes)
    const row = changeBotFlowIn(tx, ctx, id, { ...fieldsAfter(ctx, before, changes), ...graph })
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'bot_flow',
      resourceId: id,
      resourceName: row.name,
      changes: [
        ...differences({ ...fieldsOf(before) }, { ...fieldsOf(row) }),
        ...(changes.graph === undefined
          ? []
          : [{ field: 'graph', old_value: HIDDEN, new_value: HIDDEN }]),
      ],
    })
    return viewOf(ctx, row)
  })
}

/** Changes columns of a bot flow in the caller's transaction. */
export const changeBotFlowIn = (
  tx: Tx,
  ctx: Ctx,
  id: string,
  set: Partial<BotFlowRow>,
): BotFlowRow =>
  watchHumanPathIn(tx, ctx, () =>
    tx
      .update(botFlows)
      .set({ ...set, updatedAtMs: ctx.clock.nowMs() })
      .where(inOrganization(ctx, botFlows, eq(botFlows.id, id)))
      .returning()
      .get(),
  )

/** Stores the given graph, or publishes the draft. Returns the columns that change. */
function storeGraphIn(
  tx: Tx,
  ctx: Ctx,
  before: BotFlowRow,
  changes: BotFlowChanges,
): Partial<Pick<BotFlowRow, 'version' | 'hasDraft'>> {
  const isEnabled = changes.enabled ?? before.isEnabled
  if (changes.graph === undefined) {
    const isFirst = isEnabled && before.version === null
    if (isFirst && changes.publish === false) throw draftCannotStart()
    return isFirst || (changes.publish === true && before.hasDraft)
      ? publishDraftIn(tx, ctx, before)
      : {}
  }
  const publishes = changes.publish ?? isEnabled
  if (isEnabled && !publishes && before.version === null) throw draftCannotStart()
  const read = readGraph(ctx, changes.graph, {
    path: 'body.graph',
    flowId: before.id,
    stored: storedHeaders(ctx, before),
    isOpen: openIn(ctx, before),
  })
  requireStorable(read, publishes)
  if (!publishes) {
    storeDraftIn(tx, ctx, before.id, read)
    return { hasDraft: true }
  }
  const version = (before.version ?? 0) + 1
  storeVersionIn(tx, ctx, { flowId: before.id, version }, read)
  return { version, hasDraft: false }
}

/** Publishes the draft in the caller's transaction. Throws InvalidError `graph_invalid`. */
export function publishDraftIn(
  tx: Tx,
  ctx: Ctx,
  row: BotFlowRow,
): Pick<BotFlowRow, 'version' | 'hasDraft'> {
  const read = rereadGraph(ctx, row, currentGraph(ctx, row))
  requireStorable(read, true)
  const version = (row.version ?? 0) + 1
  storeVersionIn(tx, ctx, { flowId: row.id, version }, read)
  return { version, hasDraft: false }
}

/** Returns the columns of the fields besides the graph. */
function fieldsAfter(ctx: Ctx, before: BotFlowRow, changes: BotFlowChanges): Partial<BotFlowRow> {
  const { settings, completionHeaders } = readSettings(
    ctx,
    {
      flowId: before.id,
      settings: before.settings,
      completionHeaders: openCompletionHeaders(ctx, before.id, before.completionHeadersSealed),
      triggerKeywords: before.triggerKeywords,
      triggerMatchType: before.triggerMatchType,
    },
    changes,
  )
  const name =
    changes.name === undefined ? before.name : requireFreeName(ctx, changes.name, before.id)
  const description = changes.description === undefined ? before.description : changes.description
  const keywords = changes.trigger_keywords ?? before.triggerKeywords
  return {
    name,
    nameKey: foldText(name),
    description,
    words: wordsOf(name, description, keywords),
    accountId: changes.account_id === undefined ? before.accountId : changes.account_id,
    isEnabled: changes.enabled ?? before.isEnabled,
    triggerKeywords: keywords,
    triggerMatchType: changes.trigger_match_type ?? before.triggerMatchType,
    priority: changes.priority ?? before.priority,
    settings,
    ...(changes.completion_config === undefined
      ? {}
      : { completionHeadersSealed: sealCompletionHeaders(ctx, before.id, completionHeaders) }),
  }
}
