import { graphlib, layout as arrangeBy } from '@dagrejs/dagre'

import { DEFAULT, nodeOf, type Graph, type Node, type Point } from './graph'
import { isRare, outcomesOf } from './outcomes'

/** The width of a card on the canvas. */
export const CARD_WIDTH = 260

/** The size of a card. */
export interface Size {
  width: number
  height: number
}

/** The room between cards. */
const GAPS = { nodesep: 32, ranksep: 88, marginx: 24, marginy: 24 }

/** Returns where cards stand that nobody moved: what follows stands beside, branches below each other. */
export function arranged(graph: Graph, sizeOf: (node: Node) => Size): Map<string, Point> {
  const drawn = new graphlib.Graph()
  drawn.setGraph({ rankdir: 'LR', ...GAPS })
  drawn.setDefaultEdgeLabel(() => ({}))
  for (const node of graph.nodes) drawn.setNode(node.id, { ...sizeOf(node) })
  for (const node of graph.nodes)
    for (const outcome of outcomesOf(node)) {
      const edge = graph.edges.find((one) => one.from === node.id && one.condition === outcome)
      if (edge) drawn.setEdge(edge.from, edge.to, { weight: isRare(outcome) ? 1 : 3 })
    }
  arrangeBy(drawn)
  return new Map(
    graph.nodes.map((node) => {
      const { x, y } = drawn.node(node.id) as Point
      const { width, height } = sizeOf(node)
      // the layout names the middle of a card
      return [node.id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }]
    }),
  )
}

/** Returns where the cards of a flow stand: where they were put, or arranged if some never were. */
export function placesOf(graph: Graph, sizeOf: (node: Node) => Size): Map<string, Point> {
  const put = graph.nodes.flatMap(({ id, position }) => (position ? [[id, position] as const] : []))
  // flows that programs write have all their nodes in one column
  const isColumn = new Set(put.map(([, { x }]) => x)).size <= 1 && hasBranches(graph)
  if (put.length === graph.nodes.length && !isColumn) return new Map(put)
  if (put.length === 0 || isColumn) return arranged(graph, sizeOf)
  const places = new Map(put)
  const auto = arranged(graph, sizeOf)
  for (const node of graph.nodes)
    if (!places.has(node.id)) places.set(node.id, beside(graph, node, { places, auto, sizeOf }))
  return places
}

const hasBranches = ({ edges }: Graph): boolean =>
  edges.some(({ condition }) => condition !== DEFAULT)

/** Returns a place for a new card: beside the one that leads to it, below those that are there. */
function beside(
  graph: Graph,
  node: Node,
  known: {
    places: ReadonlyMap<string, Point>
    auto: ReadonlyMap<string, Point>
    sizeOf: (node: Node) => Size
  },
): Point {
  const { places, auto, sizeOf } = known
  const before = graph.edges.find(({ to, from }) => to === node.id && places.has(from))
  const parent = before && nodeOf(graph, before.from)
  const at = parent && places.get(parent.id)
  if (!parent || !at) return auto.get(node.id) ?? { x: 0, y: 0 }
  const { height } = sizeOf(node)
  const place = { x: at.x + sizeOf(parent).width + GAPS.ranksep, y: at.y }
  const isTaken = (): boolean =>
    [...places].some(([id, { x, y }]) => {
      const other = nodeOf(graph, id)
      const size = other ? sizeOf(other) : { width: 0, height: 0 }
      return Math.abs(x - place.x) < size.width && y < place.y + height && place.y < y + size.height
    })
  while (isTaken()) place.y += GAPS.nodesep
  return place
}
