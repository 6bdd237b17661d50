import { INSTALLATION, type Ctx } from '../../../../infra/ctx'
import { currentGraph, openIn, rereadGraph, requireBotFlow, storedHeaders } from '../bot-flows/find'
import type { Graph } from '../bot-flows/graph'
import { headersOfNode, type FlowVersion } from '../bot-flows/queries'
import type { NodeHeaders } from '../bot-flows/secrets'
import { DEFAULT_SETTINGS, settingsOf } from '../bot-flows/settings'
import { DRAFT } from '../bot-flows/table'
import { throwFindings } from '../bot-flows/validate/findings'
import { NO_STORED_VALUE } from '../bot-flows/validate/headers'
import { isNew, readGraph } from '../bot-flows/validate/read-graph'
import type { PreviewRequest } from './model'

/** The bot flow of a preview, with its decrypted header values. */
export interface PreviewFlow {
  version: FlowVersion
  headers: NodeHeaders
}

/**
 * Returns the bot flow that a request names: a draft or a graph. Throws NotFoundError, and
 * InvalidError `graph_invalid`.
 */
export function flowOf(
  ctx: Ctx,
  { flow_id: flowId, graph }: Pick<PreviewRequest, 'flow_id' | 'graph'>,
): PreviewFlow | null {
  if (flowId === undefined && graph === undefined) return null
  const row = flowId === undefined ? null : requireBotFlow(ctx, flowId)
  const read =
    graph !== undefined || row === null
      ? readGraph(ctx, graph, {
          path: 'body.graph',
          flowId: row?.id ?? null,
          stored: row ? storedHeaders(ctx, row) : () => NO_STORED_VALUE,
          isOpen: row ? openIn(ctx, row) : isNew,
        })
      : rereadGraph(ctx, row, currentGraph(ctx, row))
  throwFindings(read.findings)
  return {
    version: {
      // A graph of no flow has the nil UUID.
      flowId: row?.id ?? INSTALLATION,
      version: DRAFT,
      name: row?.name ?? 'Preview',
      accountId: row?.accountId ?? null,
      isEnabled: true,
      settings: row ? settingsOf(row.settings) : DEFAULT_SETTINGS,
      graph: read.graph as Graph, // without findings it is valid
    },
    headers: read.headers,
  }
}

/** Returns the header values of a node's request: those of the previewed flow, or of a stored one. */
export const headersIn = (
  ctx: Ctx,
  flow: PreviewFlow | null,
  at: { flowId: string; version: number; nodeId: string },
): Record<string, string> =>
  flow?.version.flowId === at.flowId && flow.version.version === at.version
    ? (flow.headers[at.nodeId] ?? {})
    : headersOfNode(ctx, at, at.nodeId)
