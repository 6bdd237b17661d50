/** The types of nodes, as the server knows them. */
export const NODE_TYPES = [
  'start',
  'message',
  'media',
  'template',
  'buttons',
  'prompt',
  'whatsapp_flow',
  'api_call',
  'webhook',
  'condition',
  'timing',
  'set_variable',
  'update_contact',
  'interactive',
  'delay',
  'tag',
  'assign',
  'ai_response',
  'transfer',
  'goto_flow',
  'end',
] as const

/** The type of a node. */
export type NodeType = (typeof NODE_TYPES)[number]
/** What a node was told to do. Drafts may have anything in it. */
export type Config = Readonly<Record<string, unknown>>

/** A place on the canvas. */
export interface Point {
  x: number
  y: number
}

/** A step of a flow. */
export interface Node {
  readonly id: string
  readonly type: NodeType
  readonly label: string | null
  readonly position: Point | null
  readonly config: Config
}

/** Leads from a node to the next one after an outcome. */
export interface Edge {
  readonly from: string
  readonly to: string
  readonly condition: string
}

/** A flow while it is edited. It is never changed, only replaced. */
export interface Graph {
  readonly entry: string
  readonly nodes: readonly Node[]
  readonly edges: readonly Edge[]
}

/** The outcome that is followed where no other is. */
export const DEFAULT = 'default'

/** A graph as the API takes it. */
export type Written = Record<string, unknown>

/** Whether something is an object with fields. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the objects of a list, or none. */
export const objectsIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** Returns a text, or the empty one for anything else. */
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

const isType = (value: unknown): value is NodeType => NODE_TYPES.some((one) => one === value)

const pointIn = (value: unknown): Point | null =>
  isObject(value) && typeof value['x'] === 'number' && typeof value['y'] === 'number'
    ? { x: value['x'], y: value['y'] }
    : null

/** Reads a graph. What is no node, or an edge without its two ends, is left out. */
export function readGraph(raw: Written): Graph {
  const nodes = new Map<string, Node>()
  for (const { id, type, label, position, config } of objectsIn(raw['nodes']))
    if (typeof id === 'string' && isType(type) && !nodes.has(id))
      nodes.set(id, {
        ...{ id, type, position: pointIn(position) },
        label: textIn(label) || null,
        config: isObject(config) ? config : {},
      })
  const edges = new Map<string, Edge>()
  for (const { from, to, condition = DEFAULT } of objectsIn(raw['edges'])) {
    const edge = { from: textIn(from), to: textIn(to), condition: textIn(condition) }
    const key = keyOfEdge(edge)
    if (nodes.has(edge.from) && nodes.has(edge.to) && !edges.has(key)) edges.set(key, edge)
  }
  return {
    entry: textIn(raw['entry_node']),
    nodes: [...nodes.values()],
    edges: [...edges.values()],
  }
}

/** Writes a graph as the API takes it. */
export const writeGraph = ({ entry, nodes, edges }: Graph): Written => ({
  version: 2,
  entry_node: entry,
  nodes: nodes.map(({ label, position, ...node }) => ({
    ...node,
    ...(label === null ? {} : { label }),
    ...(position === null ? {} : { position }),
  })),
  edges: edges.map((edge) => ({ ...edge })),
})

/** Returns what makes an edge one of its own: a node has one edge for each outcome. */
export const keyOfEdge = ({ from, condition }: Pick<Edge, 'from' | 'condition'>): string =>
  JSON.stringify([from, condition])

/** Returns a node by its id. */
export const nodeOf = (graph: Graph, id: string): Node | undefined =>
  graph.nodes.find((node) => node.id === id)

/** Returns where an outcome of a node leads by an edge of its own; `null` if there is none. */
export const targetOf = (graph: Graph, from: string, condition: string): string | null =>
  graph.edges.find((edge) => edge.from === from && edge.condition === condition)?.to ?? null

/** Whether two values are the same, however they were made. */
export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || written(one) === written(other)

/** Returns a graph with the objects of another one wherever they are the same; that one if all are. */
export function sharing(graph: Graph, other: Graph): Graph {
  const nodes = new Map(other.nodes.map((node) => [node.id, node]))
  const edges = new Map(other.edges.map((edge) => [keyOfEdge(edge), edge]))
  const shared = {
    entry: graph.entry,
    nodes: graph.nodes.map((node) => sameOf(node, nodes.get(node.id))),
    edges: graph.edges.map((edge) => sameOf(edge, edges.get(keyOfEdge(edge)))),
  }
  const isAll =
    shared.entry === other.entry &&
    areSame(shared.nodes, other.nodes) &&
    areSame(shared.edges, other.edges)
  return isAll ? other : shared
}

const sameOf = <T>(one: T, other: T | undefined): T =>
  other !== undefined && isSame(one, other) ? other : one

const areSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((one, at) => one === others[at])

const written = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
