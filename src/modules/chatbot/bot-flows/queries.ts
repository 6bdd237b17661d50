import { and, eq, isNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Graph } from './graph'
import { openCompletionHeaders, openNodeHeaders, type NodeHeaders } from './secrets'
import { settingsOf, type FlowSettings } from './settings'
import { botFlows, botFlowVersions } from './table'

type ReadCtx = Pick<Ctx, 'db' | 'organizationId'>

/** A bot flow as stored. */
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

/**
 * Returns the version of a bot flow with which a new session begins: the newest published one.
 * `null` for a flow that is disabled, deleted or was never published.
 */
export function publishedVersion(ctx: ReadCtx, flowId: string): FlowVersion | null {
  const row = ctx.db.orm
    .select()
    .from(botFlows)
    .where(inOrganization(ctx, botFlows, eq(botFlows.id, flowId), eq(botFlows.isEnabled, true)))
    .get()
  return row?.version === null || row === undefined ? null : versionIn(ctx, row, row.version)
}

/**
 * Returns a version of a bot flow, also of one that was disabled or deleted since. A session
 * finishes on the version it began with.
 */
export function versionOf(ctx: ReadCtx, flowId: string, version: number): FlowVersion | null {
  const row = ctx.db.orm
    .select()
    .from(botFlows)
    .where(inOrganization(ctx, botFlows, eq(botFlows.id, flowId)))
    .get()
  return row ? versionIn(ctx, row, version) : null
}

function versionIn(ctx: ReadCtx, row: BotFlowRow, version: number): FlowVersion | null {
  const stored = ctx.db.orm
    .select({ graph: botFlowVersions.graph })
    .from(botFlowVersions)
    .where(
      inOrganization(
        ctx,
        botFlowVersions,
        and(eq(botFlowVersions.flowId, row.id), eq(botFlowVersions.version, version)),
      ),
    )
    .get()
  return stored
    ? {
        flowId: row.id,
        version,
        name: row.name,
        accountId: row.accountId,
        isEnabled: row.isEnabled,
        settings: settingsOf(row.settings),
        graph: JSON.parse(stored.graph) as Graph,
      }
    : null
}

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
    .map((row) => ({ ...row, keywords: JSON.parse(row.keywords) as string[] }))

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
  const row = ctx.db.orm
    .select({ sealed: botFlows.completionHeadersSealed })
    .from(botFlows)
    .where(inOrganization(ctx, botFlows, eq(botFlows.id, flowId)))
    .get()
  return openCompletionHeaders(ctx, flowId, row?.sealed ?? null)
}
