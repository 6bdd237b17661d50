import { asc, desc, eq } from 'drizzle-orm'

import { NotFoundError } from '../../../../lib/errors'
import type { Page } from '../../../../lib/page'
import { listOf, objectOf } from '../../../../platform/lenient-json'
import type { Ctx } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { of } from '../../../../infra/scoped'
import { holdsText } from '../../../../infra/search-keys'
import type { BotFlowSummary, BotFlowView } from './model'
import type { BotFlowRow } from './queries'
import { triggerWarnings } from './trigger-warnings'
import { openNodeHeaders, type NodeHeaders } from './secrets'
import { botFlows, botFlowVersions, DRAFT } from './table'
import { compileAhead } from './validate/compile-ahead'
import { shown } from './validate/findings'
import { NO_STORED_VALUE, storedFor, urlIn, type StoredHeader } from './validate/headers'
import { readGraph, type ReadGraph } from './validate/read-graph'
import { botFlowView, summaryOf } from './view'

/** Filters of the list. */
export interface BotFlowQuery {
  page: number
  limit: number
  search?: string | undefined
  enabled?: boolean | undefined
  accountId?: string | undefined
}

/** Returns a page of bot flows, the last changed first. */
export const listBotFlows = (ctx: Ctx, query: BotFlowQuery): Page<BotFlowSummary> =>
  of(ctx, botFlows).page(query, {
    where: [
      { deletedAtMs: null },
      query.enabled === undefined ? undefined : eq(botFlows.isEnabled, query.enabled),
      query.accountId === undefined ? undefined : eq(botFlows.accountId, query.accountId),
      query.search === undefined ? undefined : holdsText(botFlows.words, query.search),
    ],
    order: [desc(botFlows.updatedAtMs), asc(botFlows.id)],
    views: (rows) => rows.map(summaryOf),
  })

/** Returns a bot flow as stored. Throws NotFoundError, also for a deleted one. */
export function requireBotFlow(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  id: string,
): BotFlowRow {
  const row = of(ctx, botFlows).find({ id, deletedAtMs: null })
  if (!row) throw new NotFoundError('Bot flow')
  return row
}

/** A graph as stored, with its header values decrypted. */
export interface StoredGraph {
  graph: Record<string, unknown>
  headers: NodeHeaders
}

/** Returns a version of a bot flow, or its draft; `null` if there is none. */
export function findGraph(ctx: Ctx, flowId: string, version: number): StoredGraph | null {
  const row = of(ctx, botFlowVersions).find({ flowId, version })
  return row
    ? {
        graph: JSON.parse(row.graph) as Record<string, unknown>,
        headers: openNodeHeaders(ctx, flowId, row.headersSealed),
      }
    : null
}

/** Returns the draft of a bot flow, or its newest version if it has none. */
export const currentGraph = (ctx: Ctx, row: BotFlowRow): StoredGraph =>
  findGraph(ctx, row.id, row.hasDraft ? DRAFT : (row.version ?? DRAFT)) ?? {
    graph: {},
    headers: {},
  }

/**
 * Returns the stored header values of a flow that `***` keeps: those of the draft, else of the newest
 * version, each for the host that the node's URL names there.
 */
export function storedHeaders(ctx: Ctx, row: BotFlowRow): StoredHeader {
  const stored = [row.hasDraft ? DRAFT : null, row.version].flatMap((version) => {
    const found = version === null ? null : findGraph(ctx, row.id, version)
    return found === null ? [] : [{ headers: found.headers, urls: urlsOf(found) }]
  })
  return (nodeId, name, url) =>
    storedFor(
      url,
      stored.map(({ headers, urls }) => ({
        url: urls.get(nodeId) ?? '',
        value: headers[nodeId]?.[name],
      })),
    )
}

/** Returns the URLs of the nodes of a graph that have headers, by the ids of the nodes. */
const urlsOf = ({ graph }: StoredGraph): Map<unknown, string> =>
  new Map(
    listOf(graph['nodes'])
      .map((node) => objectOf(node))
      .filter(({ config }) => Object.keys(objectOf(objectOf(config).headers)).length > 0)
      .map(({ id, config }) => [id, urlIn(objectOf(config))]),
  )

/**
 * Returns whether a node has no edge for `max_retries` in the newest version of a flow. Such a question
 * hands over to a person, and goes on to do so when the flow is saved again.
 */
export function openIn(ctx: Ctx, { id, version }: BotFlowRow): (nodeId: string) => boolean {
  const { nodes, edges } = (version === null ? null : findGraph(ctx, id, version))?.graph ?? {}
  const known = new Set(listOf(nodes).map((node) => objectOf(node).id))
  const followed = new Set(
    listOf(edges)
      .map((edge) => objectOf(edge))
      .filter(({ condition }) => condition === 'max_retries')
      .map(({ from }) => from),
  )
  return (nodeId) => known.has(nodeId) && !followed.has(nodeId)
}

/**
 * Reads a stored graph of a flow again: templates, files and other things it names may have gone.
 * `flowId` is the flow that it is for.
 */
export const rereadGraph = (
  ctx: Ctx,
  row: BotFlowRow,
  stored: StoredGraph,
  flowId = row.id,
): ReadGraph =>
  readGraph(ctx, stored.graph, {
    path: 'graph',
    flowId,
    isOpen: openIn(ctx, row),
    stored: (nodeId, name) => {
      const value = stored.headers[nodeId]?.[name]
      return value === undefined ? NO_STORED_VALUE : { value }
    },
  })

/** Returns a bot flow as the API shows it, with the problems of its words and its graph. */
export function viewOf(ctx: Ctx, row: BotFlowRow): BotFlowView {
  const stored = currentGraph(ctx, row)
  const { findings, warnings } = rereadGraph(ctx, row, stored)
  return botFlowView(row, stored.graph, [
    ...triggerWarnings(ctx, row),
    ...shown(findings.length > 0 ? findings : warnings),
  ])
}

/** Returns a bot flow. Throws NotFoundError. */
export async function getBotFlow(ctx: Ctx, id: string): Promise<BotFlowView> {
  await compileAhead(ctx, currentGraph(ctx, requireBotFlow(ctx, id)).graph)
  return viewOf(ctx, requireBotFlow(ctx, id))
}
