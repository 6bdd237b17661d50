import {
  DEFAULT,
  keyOfEdge,
  nodeOf,
  targetOf,
  type Config,
  type Edge,
  type Graph,
  type Node,
  type NodeType,
  type Point,
} from './graph'
import { choiceOutcome, choicesOf, isLeaving, outcomesOf } from './outcomes'

/** A place in a flow: behind an outcome of a node, or `null` for its beginning. */
export type Place = Pick<Edge, 'from' | 'condition'> | null

/** The most nodes of a flow. */
export const MOST_NODES = 200

/**
 * Returns a free id that begins with a word. Its end is by chance: two people who add a step to one
 * flow at the same time add two steps.
 */
function freeId(graph: Graph, word: string): string {
  const taken = new Set(graph.nodes.map(({ id }) => id))
  let id = word
  while (id === word || taken.has(id)) id = `${word}_${Math.random().toString(36).slice(2, 8)}`
  return id
}

const withEdge = (graph: Graph, edge: Edge): Graph => ({
  ...graph,
  edges: [...graph.edges.filter((one) => keyOfEdge(one) !== keyOfEdge(edge)), edge],
})

/** Lets an outcome of a node lead to another one, or to none. */
export function connect(graph: Graph, place: Place, to: string | null): Graph {
  if (place === null) return to === null ? graph : { ...graph, entry: to }
  if (targetOf(graph, place.from, place.condition) === to) return graph
  if (to !== null) return withEdge(graph, { ...place, to })
  const key = keyOfEdge(place)
  return { ...graph, edges: graph.edges.filter((edge) => keyOfEdge(edge) !== key) }
}

/** Returns what comes at a place now. */
const atPlace = (graph: Graph, place: Place): string | null =>
  place === null
    ? (nodeOf(graph, graph.entry)?.id ?? null)
    : targetOf(graph, place.from, place.condition)

/** What is known of a node before it is in a flow. */
export interface NewNode {
  type: NodeType
  config: Config
  label?: string | null
  position?: Point | null
}

/**
 * Adds a node. What came at its place comes behind it, unless the flow ends with it. Returns the flow
 * and the id of the node.
 */
export function add(graph: Graph, fresh: NewNode, place?: Place): [graph: Graph, id: string] {
  const id = freeId(graph, fresh.type)
  const node: Node = { id, label: null, position: null, ...fresh }
  const grown = { ...graph, nodes: [...graph.nodes, node] }
  if (place === undefined) return [graph.nodes.length === 0 ? { ...grown, entry: id } : grown, id]
  const next = atPlace(graph, place)
  const linked = connect(grown, place, id)
  return [
    next === null || isLeaving(node.type)
      ? linked
      : connect(linked, { from: id, condition: DEFAULT }, next),
    id,
  ]
}

/** Returns what comes behind a node: after its usual outcome, or else after all of its others. */
function behindOf(graph: Graph, id: string): string | null {
  const usual = targetOf(graph, id, DEFAULT)
  if (usual !== null) return usual
  const [only, ...others] = new Set(
    graph.edges.filter(({ from }) => from === id).map(({ to }) => to),
  )
  return only === undefined || others.length > 0 ? null : only
}

/** Deletes nodes. What led to one leads to what came behind it. */
export function remove(graph: Graph, ids: readonly string[]): Graph {
  const gone = new Set(ids)
  const behind = (id: string | null): string | null => {
    let next = id
    const seen = new Set<string>()
    while (next !== null && gone.has(next) && !seen.has(next)) {
      seen.add(next)
      next = behindOf(graph, next)
    }
    return next !== null && gone.has(next) ? null : next
  }
  const nodes = graph.nodes.filter(({ id }) => !gone.has(id))
  if (nodes.length === graph.nodes.length) return graph
  return {
    entry: behind(graph.entry) ?? nodes[0]?.id ?? '',
    nodes,
    edges: graph.edges
      .filter(({ from }) => !gone.has(from))
      .flatMap((edge) => {
        const to = behind(edge.to)
        return to === null ? [] : [{ ...edge, to }]
      }),
  }
}

/** Takes a node out of its place and puts it into another one. */
export function moveTo(graph: Graph, id: string, place: Place): Graph {
  const node = nodeOf(graph, id)
  if (!node || place?.from === id || atPlace(graph, place) === id) return graph
  const after = targetOf(graph, id, DEFAULT)
  const skipped: Graph = {
    ...graph,
    entry: graph.entry === id && after !== null ? after : graph.entry,
    edges: graph.edges.flatMap((edge) => {
      const leadsOn = edge.from === id && edge.condition === DEFAULT
      if (leadsOn) return []
      if (edge.to !== id || edge.from === id) return [edge]
      return after === null || after === edge.from ? [] : [{ ...edge, to: after }]
    }),
  }
  const next = atPlace(skipped, place)
  const linked = connect(skipped, place, id)
  return next === null || next === id || isLeaving(node.type)
    ? linked
    : connect(linked, { from: id, condition: DEFAULT }, next)
}

/** Moves a node one step up or down among those that follow each other. */
export function moveBy(graph: Graph, id: string, steps: 1 | -1): Graph {
  const before = graph.edges.filter(({ to }) => to === id)
  const next = targetOf(graph, id, DEFAULT)
  if (steps === 1)
    return next === null || isLeaving(nodeOf(graph, next)?.type ?? 'end')
      ? graph
      : moveTo(graph, id, { from: next, condition: DEFAULT })
  const [only] = before
  if (!only || before.length > 1 || only.condition !== DEFAULT) return graph
  // what came before comes behind it
  return moveTo(graph, only.from, { from: id, condition: DEFAULT })
}

/** Changes nodes, each by what is given for its id. */
export const changeNodes = (
  graph: Graph,
  changes: ReadonlyMap<string, Partial<Pick<Node, 'label' | 'position' | 'config'>>>,
): Graph => ({
  ...graph,
  // what is not changed stays the same object, which is not compared or drawn again
  nodes: graph.nodes.map((node) => {
    const change = changes.get(node.id)
    return change ? { ...node, ...change } : node
  }),
})

/** Changes settings of a node. Ways after choices that it no longer has are gone. */
export function configure(graph: Graph, id: string, config: Config): Graph {
  const changed = changeNodes(graph, new Map([[id, { config }]]))
  const node = nodeOf(changed, id)
  if (!node) return graph
  const outcomes = new Set(outcomesOf(node))
  const edges = changed.edges.filter(
    ({ from, condition }) => from !== id || outcomes.has(condition),
  )
  return edges.length === changed.edges.length ? changed : { ...changed, edges }
}

/** Gives a choice another id; the way after it stays. */
export function renameChoice(
  graph: Graph,
  { node, from, to, config }: { node: string; from: string; to: string; config: Config },
): Graph {
  const renamed = graph.edges.map((edge) =>
    edge.from === node && edge.condition === choiceOutcome(from)
      ? { ...edge, condition: choiceOutcome(to) }
      : edge,
  )
  return configure({ ...graph, edges: renamed }, node, config)
}

/** Returns an id for another choice of a node. */
export function freeChoiceId(node: Pick<Node, 'type' | 'config'>): string {
  const taken = new Set(choicesOf(node).map(({ id }) => id))
  let number = taken.size + 1
  while (taken.has(`choice_${number}`)) number += 1
  return `choice_${number}`
}
