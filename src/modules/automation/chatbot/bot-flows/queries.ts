import { and, eq, isNull } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Graph } from './graph'
import { openCompletionHeaders, openNodeHeaders, type NodeHeaders } from './secrets'
import { settingsOf, type FlowSettings } from './settings'
import { botFlows, botFlowVersions, DRAFT } from './table'

type ReadCtx = Pick<Ctx, 'db' | 'organizationId'>
type GraphCtx = ReadCtx & Pick<Ctx, 'botGraphs'>

export type BotFlowRow = typeof botFlows.$inferSelect

/** A version of a bot flow, with the settings that concern all versions. */
export interface FlowVersion {
  flowId: string
  /** 0 for a draft. */
  version: number
  name: string
  accountId: string | null
  /** Whether new sessions may begin. */
  isEnabled: boolean
  settings: FlowSettings
  graph: Graph
}

/** A word that begins a bot flow. */
export interface FlowTrigger {
  flowId: string
  accountId: string | null
  keywords: string[]
  matchType: BotFlowRow['triggerMatchType']
  priority: number
  createdAtMs: number
}

const flowById = compiled((orm) =>
  orm
    .select()
    .from(botFlows)
    .where(inOrganization(anyScope, botFlows, eq(botFlows.id, place(botFlows.id, 'flowId'))))
    .prepare(),
)

const findFlow = ({ db, organizationId }: ReadCtx, flowId: string): BotFlowRow | null =>
  flowById(db).get({ organizationId, flowId }) ?? null

/**
 * Returns the version of a bot flow with which a new session begins: the newest published one.
 * `null` for a flow that is disabled, deleted or was never published.
 */
export function publishedVersion(ctx: GraphCtx, flowId: string): FlowVersion | null {
  const row = findFlow(ctx, flowId)
  return row === null || !row.isEnabled || row.version === null
    ? null
    : versionIn(ctx, row, row.version)
}

/**
 * Returns a version of a bot flow, also of one that was disabled or deleted since. A session
 * finishes on the version it began with.
 */
export function versionOf(ctx: GraphCtx, flowId: string, version: number): FlowVersion | null {
  const row = findFlow(ctx, flowId)
  return row && versionIn(ctx, row, version)
}

/** Returns the words that end a session in a bot flow. */
export function cancelWordsOf(ctx: ReadCtx, flowId: string): string[] {
  const row = findFlow(ctx, flowId)
  return row ? settingsOf(row.settings).cancelKeywords : []
}

function versionIn(ctx: GraphCtx, row: BotFlowRow, version: number): FlowVersion | null {
  const { organizationId } = ctx
  const read = (): string | null =>
    graphOf(ctx.db).get({ organizationId, flowId: row.id, version })?.graph ?? null
  const graph =
    version === DRAFT
      ? (JSON.parse(read() ?? 'null') as Graph | null)
      : ctx.botGraphs.get(`${organizationId}/${row.id}/${version}`, read)
  return (
    graph && {
      flowId: row.id,
      version,
      name: row.name,
      accountId: row.accountId,
      isEnabled: row.isEnabled,
      settings: settingsOf(row.settings),
      graph,
    }
  )
}

const graphOf = compiled((orm) =>
  orm
    .select({ graph: botFlowVersions.graph })
    .from(botFlowVersions)
    .where(
      inOrganization(
        anyScope,
        botFlowVersions,
        and(
          eq(botFlowVersions.flowId, place(botFlowVersions.flowId, 'flowId')),
          eq(botFlowVersions.version, place(botFlowVersions.version, 'version')),
        ),
      ),
    )
    .prepare(),
)

/** Returns the words that begin the enabled bot flows, oldest flow first. */
export const listTriggers = (ctx: ReadCtx): FlowTrigger[] =>
  ctx.db.orm
    .select({
      flowId: botFlows.id,
      accountId: botFlows.accountId,
      keywords: botFlows.triggerKeywords,
      matchType: botFlows.triggerMatchType,
      priority: botFlows.priority,
      createdAtMs: botFlows.createdAtMs,
    })
    .from(botFlows)
    .where(
      inOrganization(
        ctx,
        botFlows,
        and(eq(botFlows.isEnabled, true), isNull(botFlows.deletedAtMs)),
      ),
    )
    .orderBy(botFlows.id)
    .all()

/** Returns the header values of a node's request, decrypted: templates by header name. */
export function headersOfNode(
  ctx: ReadCtx & Pick<Ctx, 'vault'>,
  { flowId, version }: Pick<FlowVersion, 'flowId' | 'version'>,
  nodeId: string,
): Record<string, string> {
  return headersOfVersion(ctx, flowId, version)[nodeId] ?? {}
}

/** Returns the header values of all nodes of a version, decrypted. */
function headersOfVersion(
  ctx: ReadCtx & Pick<Ctx, 'vault'>,
  flowId: string,
  version: number,
): NodeHeaders {
  const row = ctx.db.orm
    .select({ sealed: botFlowVersions.headersSealed })
    .from(botFlowVersions)
    .where(
      inOrganization(
        ctx,
        botFlowVersions,
        and(eq(botFlowVersions.flowId, flowId), eq(botFlowVersions.version, version)),
      ),
    )
    .get()
  return openNodeHeaders(ctx, flowId, row?.sealed ?? null)
}

/** Returns the header values of the completion webhook, decrypted: templates by header name. */
export function completionHeaders(
  ctx: ReadCtx & Pick<Ctx, 'vault'>,
  flowId: string,
): Record<string, string> {
  return openCompletionHeaders(ctx, flowId, findFlow(ctx, flowId)?.completionHeadersSealed ?? null)
}
