import { and, eq, isNull } from 'drizzle-orm'

import { ConflictError, InvalidError } from '../../../../lib/errors'
import { foldText } from '../../../../lib/fold-text'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { requireUnique } from '../../../../infra/require-unique'
import { of } from '../../../../infra/scoped'
import { searchKey } from '../../../../infra/search-keys'
import { recordAudit } from '../../../organization/audit/record'
import { viewOf } from './find'
import type { BotFlowView, NewBotFlow } from './model'
import type { BotFlowRow } from './queries'
import { readSettings, type SettingsAfter } from './read-settings'
import { sealCompletionHeaders } from './secrets'
import { DEFAULT_SETTINGS } from './settings'
import { storeDraftIn, storeVersionIn } from './store'
import { botFlows } from './table'
import { compileAhead } from './validate/compile-ahead'
import { throwFindings } from './validate/findings'
import { NO_STORED_VALUE } from './validate/headers'
import { isNew, readGraph, type ReadGraph } from './validate/read-graph'

/** Bot flows of an organization. */
export const MAX_FLOWS = 500

/** The graph of a new flow without one. */
const EMPTY_GRAPH = {
  version: 2,
  entry_node: 'start',
  nodes: [{ id: 'start', type: 'start', config: {} }],
  edges: [],
}

/**
 * Creates a bot flow, published if it is enabled. Throws InvalidError (`graph_invalid`,
 * `url_refused`, `invalid_input`) and ConflictError (`name_taken`, `limit_reached`).
 */
export async function createBotFlow(ctx: Ctx, input: NewBotFlow): Promise<BotFlowView> {
  await compileAhead(ctx, input.graph)
  return transact(ctx.db, (tx) => {
    const id = ctx.ids.next()
    const isEnabled = input.enabled ?? false
    const publishes = input.publish ?? isEnabled
    if (isEnabled && !publishes) throw draftCannotStart()
    const before = {
      flowId: id,
      settings: DEFAULT_SETTINGS,
      completionHeaders: {},
      triggerKeywords: [],
      triggerMatchType: 'contains',
    }
    const settings = readSettings(ctx, before, input)
    const read = readGraph(ctx, input.graph ?? EMPTY_GRAPH, {
      path: 'body.graph',
      flowId: id,
      stored: () => NO_STORED_VALUE,
      isOpen: isNew,
    })
    requireStorable(read, publishes)
    return viewOf(ctx, insertBotFlowIn(tx, ctx, { id, input, publishes, settings }, read))
  })
}

/** Returns the error for a flow that would be enabled with a draft alone. */
export const draftCannotStart = (): InvalidError =>
  new InvalidError('An enabled flow needs a published version: leave out `publish: false`.', {
    errors: [{ path: 'body.publish', message: 'cannot be false: nothing is published yet' }],
  })

/**
 * Throws InvalidError for a graph that cannot be stored: a published one with any problem, a draft
 * that is too large or names a URL that this server does not call.
 */
export function requireStorable(read: ReadGraph, publishes: boolean): void {
  throwFindings(
    publishes ? read.findings : read.findings.filter(({ severity }) => severity !== 'graph'),
  )
}

/** A flow to insert. */
interface NewRow {
  id: string
  input: NewBotFlow
  publishes: boolean
  settings: SettingsAfter
}

/**
 * Inserts a flow with its graph, in the caller's transaction, and returns it. Throws ConflictError
 * (`name_taken`, `limit_reached`).
 */
export function insertBotFlowIn(
  tx: Tx,
  ctx: Ctx,
  { id, input, publishes, settings: after }: NewRow,
  read: ReadGraph,
): BotFlowRow {
  const name = requireFreeName(ctx, input.name, null)
  requireRoom(ctx)
  const nowMs = ctx.clock.nowMs()
  const keywords = input.trigger_keywords ?? []
  const row = of(ctx, botFlows).insert(tx, {
    id,
    name,
    nameKey: foldText(name),
    description: input.description ?? null,
    words: wordsOf(name, input.description ?? null, keywords),
    accountId: input.account_id ?? null,
    isEnabled: input.enabled ?? false,
    triggerKeywords: keywords,
    triggerMatchType: input.trigger_match_type ?? 'contains',
    priority: input.priority ?? 10,
    settings: after.settings,
    completionHeadersSealed: sealCompletionHeaders(ctx, id, after.completionHeaders),
    version: publishes ? 1 : null,
    hasDraft: !publishes,
    createdBy: ctx.actor.userId,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  })
  if (publishes) storeVersionIn(tx, ctx, { flowId: id, version: 1 }, read)
  else storeDraftIn(tx, ctx, id, read)
  recordAudit(tx, ctx, {
    action: 'created',
    resourceType: 'bot_flow',
    resourceId: id,
    resourceName: name,
  })
  return row
}

/** Returns the text by which a flow is found. */
export const wordsOf = (
  name: string,
  description: string | null,
  keywords: readonly string[],
): string => searchKey(name, description, ...keywords)

/** Returns the trimmed name. Throws ConflictError `name_taken`. */
export function requireFreeName(ctx: Ctx, written: string, except: string | null): string {
  const name = written.trim()
  requireUnique(ctx, {
    table: botFlows,
    kind: 'bot flow',
    field: 'name',
    where: and(eq(botFlows.nameKey, foldText(name)), isNull(botFlows.deletedAtMs)),
    except,
  })
  return name
}

function requireRoom(ctx: Ctx): void {
  if (of(ctx, botFlows).count({ deletedAtMs: null }) >= MAX_FLOWS)
    throw new ConflictError(`An organization has at most ${MAX_FLOWS} bot flows.`, {
      code: 'limit_reached',
      details: { limit: MAX_FLOWS },
    })
}
