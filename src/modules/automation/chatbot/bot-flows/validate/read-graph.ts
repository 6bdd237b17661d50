import { isObject } from '../../../../../platform/lenient-json'
import type { Ctx } from '../../../../../infra/ctx'
import { outcomesOf, type Edge, type Graph, type GraphNode } from '../graph'
import type { NodeHeaders } from '../secrets'
import { MAX_PLACEHOLDERS, placeholdersOf } from './compile-ahead'
import { doubtsAbout } from './doubts'
import { Findings, type Finding } from './findings'
import { takeHeaders, type StoredHeader } from './headers'
import { reportEndlessLoops, reportUnreachable } from './paths'
import { readEdges, readNodes, type ReadNode } from './read-nodes'
import { referencesOf, reportUnknown, type Reference } from './references'
import { reportTexts } from './texts'

const GRAPH_VERSION = 2
const LIMITS = { nodes: 200, edges: 600, kib: 256 } as const

/** The place of a graph: its path in the request, the flow, and the stored header values. */
export interface GraphPlace {
  path: string
  /** `null` for a graph that belongs to no flow yet. */
  flowId: string | null
  stored: StoredHeader
  /** Whether a question works already without an edge for `max_retries`. A new one needs it. */
  isOpen: (nodeId: string) => boolean
  /** Whether it comes from another server: the things that it names are not looked for here. */
  isForeign?: boolean
}

/** A graph that was read. */
export interface ReadGraph {
  /** What is stored: complete if it is valid, otherwise as it was given. Without header values. */
  graph: unknown
  headers: NodeHeaders
  references: Reference[]
  findings: Finding[]
  /** Outcomes that end the session because no edge follows, and what nodes will not be able to do. */
  warnings: Finding[]
}

/** Reads a graph and reports everything that is wrong with it at once. */
export function readGraph(ctx: Ctx, raw: unknown, place: GraphPlace): ReadGraph {
  const findings = new Findings()
  const { path } = place
  if (!isObject(raw)) {
    findings.add(path, 'must be a JSON object', 'draft')
    return { graph: {}, headers: {}, references: [], findings: findings.all, warnings: [] }
  }
  if (Buffer.byteLength(JSON.stringify(raw)) > LIMITS.kib * 1_024)
    findings.add(path, `must not be larger than ${LIMITS.kib} KiB`, 'draft')
  const given = listIn(raw.nodes, `${path}.nodes`, LIMITS.nodes, findings)
  if (placeholdersOf(given) > MAX_PLACEHOLDERS)
    findings.add(path, `must not have more than ${MAX_PLACEHOLDERS} placeholders`, 'draft')
  const edgeList = listIn(raw.edges ?? [], `${path}.edges`, LIMITS.edges, findings)
  if (findings.all.some(({ severity }) => severity === 'draft'))
    return { graph: {}, headers: {}, references: [], findings: findings.all, warnings: [] }
  if (raw.version !== undefined && raw.version !== GRAPH_VERSION)
    findings.add(`${path}.version`, `must be ${GRAPH_VERSION}`)
  const { nodes: hidden, headers } = takeHeaders(ctx, given, place.stored, {
    path: `${path}.nodes`,
    findings,
  })
  const nodes = readNodes(hidden, `${path}.nodes`, findings)
  const edges = readEdges(edgeList, `${path}.edges`, nodes, findings)
  const references = nodes.flatMap(({ node, path: at }) =>
    node ? referencesOf(node, `${at}.config`) : [],
  )
  reportParts(ctx, nodes, place, findings)
  if (place.isForeign !== true) reportUnknown(ctx, references, findings)
  reportOpenQuestions({ nodes, edges, isOpen: place.isOpen }, findings)
  const entry = reportShape(raw.entry_node, { path, nodes, edges }, findings)
  const valid: Graph = {
    version: GRAPH_VERSION,
    entry_node: entry ?? '',
    nodes: nodes.flatMap(({ node }) => node ?? []),
    edges,
  }
  const isValid = findings.all.length === 0
  return {
    graph: isValid ? valid : { ...raw, nodes: hidden, edges: edgeList },
    headers,
    references,
    findings: findings.all,
    warnings:
      isValid && place.isForeign !== true
        ? [...openEnds(nodes, edges), ...givenUp(nodes, edges), ...doubtsAbout(ctx, nodes)]
        : [],
  }
}

/** Returns a list of a graph; reports one that is too long or none. */
function listIn(
  raw: unknown,
  path: string,
  longest: number,
  findings: Findings,
): readonly unknown[] {
  if (!Array.isArray(raw)) {
    findings.add(path, raw === undefined ? 'is required' : 'must be a list', 'draft')
    return []
  }
  if (raw.length > longest) findings.add(path, `must have at most ${longest} items`, 'draft')
  return raw
}

/** Reports the texts of each node, and nodes that lead back to their own flow. */
function reportParts(
  ctx: Ctx,
  nodes: readonly ReadNode[],
  { flowId }: GraphPlace,
  findings: Findings,
): void {
  for (const { node, path, type, config } of nodes) {
    reportTexts(ctx, { type, config }, `${path}.config`, findings)
    if (node?.type === 'goto_flow' && node.config.flow_id.toLowerCase() === flowId)
      findings.add(
        `${path}.config.flow_id`,
        'is the flow itself; draw an edge to the node where it continues',
      )
  }
}

/** Reports a missing first node, unreachable nodes and endless loops. Returns the first node. */
function reportShape(
  entry: unknown,
  { path, nodes, edges }: { path: string; nodes: readonly ReadNode[]; edges: readonly Edge[] },
  findings: Findings,
): string | null {
  reportEndlessLoops(nodes, edges, findings)
  if (typeof entry === 'string' && nodes.some(({ id }) => id === entry)) {
    reportUnreachable(entry, nodes, edges, findings)
    return entry
  }
  findings.add(`${path}.entry_node`, 'is not a node')
  return null
}

/** Outcomes that a flow need not follow: the session goes on without them or ends as failed. */
const isOptional = (outcome: string): boolean => outcome === 'error' || outcome === 'max_retries'

/** Returns the questions that no edge for `max_retries` follows. */
const openQuestions = (nodes: readonly ReadNode[], edges: readonly Edge[]) =>
  nodes.flatMap(({ node, path }) => {
    if (!node || !outcomesOf(node).includes('max_retries')) return []
    return edges.some(({ from, condition }) => from === node.id && condition === 'max_retries')
      ? []
      : [{ node, path }]
  })

/** Reports questions that say how often they are repeated, and not what follows. */
function reportOpenQuestions(
  {
    nodes,
    edges,
    isOpen,
  }: Pick<GraphPlace, 'isOpen'> & {
    nodes: readonly ReadNode[]
    edges: readonly Edge[]
  },
  findings: Findings,
): void {
  for (const { node, path } of openQuestions(nodes, edges))
    if ('max_retries' in node.config && node.config.max_retries != null && !isOpen(node.id))
      findings.add(
        `${path}.config.max_retries`,
        'needs an edge with the condition max_retries, which says what follows',
      )
}

/** Returns the questions after which customers go to people because no edge says otherwise. */
const givenUp = (nodes: readonly ReadNode[], edges: readonly Edge[]): Finding[] =>
  openQuestions(nodes, edges).map(({ path }) => ({
    path,
    message: 'hands over to a person after max_retries: no edge follows',
    severity: 'graph' as const,
  }))

/** A graph in which nothing worked before. */
export const isNew = (): boolean => false

/** Returns the outcomes that no edge follows, in graphs that are valid. */
function openEnds(nodes: readonly ReadNode[], edges: readonly Edge[]): Finding[] {
  const followed = new Set(edges.map(({ from, condition }) => `${from} ${condition}`))
  const isFollowed = (node: GraphNode, outcome: string): boolean =>
    followed.has(`${node.id} ${outcome}`)
  return nodes.flatMap(({ node, path }) => {
    if (!node || isFollowed(node, 'default')) return []
    const outcomes = outcomesOf(node)
    const own = outcomes.filter((outcome) => outcome !== 'default' && !isOptional(outcome))
    const open = (
      own.length === 0 ? outcomes.filter((outcome) => outcome === 'default') : own
    ).filter((outcome) => !isFollowed(node, outcome))
    return open.length === 0
      ? []
      : [
          {
            path,
            message: `ends the flow after ${open.join(', ')}: no edge follows`,
            severity: 'graph' as const,
          },
        ]
  })
}
