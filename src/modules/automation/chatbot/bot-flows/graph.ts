import { listOf, objectOf, wordOf } from '../../../../platform/lenient-json'
import type { Choice } from './model'
import type { NodeConfig, NodeType } from './node-config'

/** The version of the graph format. */
const GRAPH_VERSION = 2

/** A node of a type, its config complete and valid. */
export interface NodeOf<T extends NodeType> {
  id: string
  type: T
  label: string | null
  position: { x: number; y: number } | null
  config: NodeConfig<T>
}

/** A node of any type; `type` tells which. */
export type GraphNode = { [T in NodeType]: NodeOf<T> }[NodeType]

/** Leads from a node to the next one after an outcome. */
export interface Edge {
  from: string
  to: string
  condition: string
}

/** The graph of a bot flow, as it is stored once it is valid. */
export interface Graph {
  version: typeof GRAPH_VERSION
  entry_node: string
  nodes: GraphNode[]
  edges: Edge[]
}

/** The outcome after a tap on a button or list row. */
const buttonOutcome = (id: string): string => `button:${id}`

/** Node types that send a message, which may fail. */
const SENDING: ReadonlySet<NodeType> = new Set([
  'message',
  'media',
  'template',
  'buttons',
  'prompt',
  'whatsapp_flow',
  'interactive',
])

/** Outcomes that do not depend on the config. */
const FIXED: Partial<Record<NodeType, readonly string[]>> = {
  buttons: ['max_retries'],
  prompt: ['max_retries'],
  api_call: ['http:2xx', 'http:non2xx'],
  condition: ['true', 'false'],
  timing: ['in_hours', 'out_of_hours'],
  update_contact: ['error'],
  delay: ['error'],
  ai_response: ['error'],
  goto_flow: ['error'],
}

/** Node types after which no edge without a condition is followed. */
const WITHOUT_DEFAULT: ReadonlySet<NodeType> = new Set(['goto_flow', 'transfer', 'end'])

/**
 * Returns the outcomes that a node can have. An outcome without an edge of its own follows the edge
 * `default`, which every node may have unless it ends the session or leaves the flow.
 */
export function outcomesOf(node: Pick<GraphNode, 'type' | 'config'>): string[] {
  const fixed = [
    ...(FIXED[node.type] ?? []),
    ...(isStrict(node) ? ['max_retries'] : []),
    ...(SENDING.has(node.type) ? ['error'] : []),
  ]
  const own = WITHOUT_DEFAULT.has(node.type) ? fixed : [...fixed, 'default']
  return [...choicesOf(node).map(({ id }) => buttonOutcome(id)), ...own]
}

/** Whether a node of type `interactive` accepts only what it asks for. */
const isStrict = ({ type, config }: Pick<GraphNode, 'type' | 'config'>): boolean =>
  type === 'interactive' && (config as NodeConfig<'interactive'>).max_retries != null

/** Returns the buttons or list rows of a node. Titles may be templates. */
export function choicesOf({ type, config }: Pick<GraphNode, 'type' | 'config'>): Choice[] {
  if (type === 'buttons') return (config as NodeConfig<'buttons'>).buttons
  return type === 'interactive' ? choicesIn((config as NodeConfig<'interactive'>).interactive) : []
}

/** Returns the buttons or list rows of an interactive message. */
export function choicesIn({
  buttons,
  sections,
}: {
  buttons?: unknown
  sections?: unknown
}): Choice[] {
  const rows = listOf(sections).flatMap((section) => listOf(objectOf(section).rows))
  return [...listOf(buttons), ...rows].flatMap((choice): Choice[] => {
    const { id, title } = objectOf(choice)
    const [key, label] = [wordOf(id), wordOf(title)]
    return key === null ? [] : [{ id: key, title: label ?? '' }]
  })
}

/** Kinds of interactive messages to which the customer gives no answer in the chat. */
const UNANSWERED: ReadonlySet<unknown> = new Set(['cta_url'])

/** Reports whether a session stops at a node until the customer answers or a time comes. */
export function waits({ type, config }: Pick<GraphNode, 'type' | 'config'>): boolean {
  if (type === 'interactive')
    return !UNANSWERED.has((config as NodeConfig<'interactive'>).interactive.type)
  return type === 'buttons' || type === 'prompt' || type === 'whatsapp_flow' || type === 'delay'
}

/** Node types whose `error` ends the session as failed where no edge follows it. */
const FAILS_ON_ERROR: ReadonlySet<NodeType> = new Set([
  ...SENDING,
  'api_call',
  'delay',
  'goto_flow',
])

/**
 * Returns the node that follows an outcome: along the edge of the outcome, else along the edge
 * `default`. Without either, the session is `completed`, or `failed` after an error that nothing
 * handles, such as a message that was not sent. Who could not answer a question goes on to `people`
 * unless an edge says otherwise.
 */
export function nextAfter(
  graph: Graph,
  node: Pick<GraphNode, 'id' | 'type'>,
  outcome: string,
): GraphNode | 'completed' | 'failed' | 'people' {
  const edges = graph.edges.filter((edge) => edge.from === node.id)
  const fails = outcome === 'error' && FAILS_ON_ERROR.has(node.type)
  const isGivenUp = outcome === 'max_retries'
  const edge =
    edges.find(({ condition }) => condition === outcome) ??
    (fails || isGivenUp ? undefined : edges.find(({ condition }) => condition === 'default'))
  if (!edge && isGivenUp) return 'people'
  if (!edge) return fails ? 'failed' : 'completed'
  return nodeOf(graph, edge.to) ?? 'failed'
}

/** Returns a node of a graph by its id, or `null`. */
export const nodeOf = (graph: Graph, id: string): GraphNode | null =>
  graph.nodes.find((node) => node.id === id) ?? null
