import type { Edge as DrawnEdge } from '@xyflow/react'
import { useMemo, useRef } from 'react'

import { t } from '../../texts/texts'
import type { CardNode } from './card'
import { sizeOf } from './model/card'
import { keyOfEdge, nodeOf, type Graph, type Point } from './model/graph'
import { placesOf } from './model/layout'
import { outlineOf } from './model/outline'
import { useFlow } from './use-flow'
import { nameOfNode, titleOf } from './words'

/** What decides where cards stand and in which order they come: not what is written on them. */
const shapeOf = ({ nodes, edges, entry }: Graph): string =>
  JSON.stringify([entry, nodes.map(({ id, position }) => [id, position]), edges])

/** Returns where the cards of a flow stand, and their order: that of the list, along the ways. */
function useShape(graph: Graph): { places: ReadonlyMap<string, Point>; order: readonly string[] } {
  const shape = shapeOf(graph)
  return useMemo(
    () => ({
      places: placesOf(graph, sizeOf),
      order: outlineOf(graph).flatMap((row) => (row.kind === 'node' ? [row.node.id] : [])),
    }),
    [shape],
  )
}

/** Whether a card is drawn from the same as before. */
const isSameCard = (one: CardNode | undefined, other: CardNode): one is CardNode => {
  if (one === undefined) return false
  const [old, now] = [one.data, other.data]
  return (
    old.node === now.node &&
    one.position.x === other.position.x &&
    one.position.y === other.position.y &&
    old.followed.join() === now.followed.join() &&
    old.errors === now.errors &&
    old.isFirst === now.isFirst &&
    old.isOnPath === now.isOnPath &&
    old.isChosen === now.isChosen
  )
}

/**
 * Returns the cards of a flow, in the order of the list, so that Tab walks along the ways. A card that
 * is the same as before is the same object, and is not drawn again.
 */
export function useCards(
  chosen: string | null,
  path: ReadonlySet<string>,
  moving: ReadonlyMap<string, Point>,
): CardNode[] {
  const { graph, problems } = useFlow()
  const { places, order } = useShape(graph)
  const before = useRef(new Map<string, CardNode>())
  return useMemo(() => {
    const byId = new Map(graph.nodes.map((node) => [node.id, node]))
    const cards = order.flatMap((id): CardNode[] => {
      const node = byId.get(id)
      if (!node) return []
      const card: CardNode = {
        ...{ id, type: 'card' },
        position: moving.get(id) ?? places.get(id) ?? { x: 0, y: 0 },
        ariaLabel: titleOf(node),
        data: {
          node,
          followed: graph.edges.flatMap((edge) => (edge.from === id ? [edge.condition] : [])),
          errors: problems.filter((one) => one.node === id && one.isError).length,
          isFirst: graph.entry === id,
          isOnPath: path.has(id),
          isChosen: chosen === id,
        },
        domAttributes: { 'data-node': id } as object,
      }
      const old = before.current.get(id)
      return [isSameCard(old, card) ? old : card]
    })
    before.current = new Map(cards.map((card) => [card.id, card]))
    return cards
  }, [graph, places, order, moving, problems, chosen, path])
}

/** Returns the ways between the cards. Those between steps that a test ran through light up. */
export function useWays(path: ReadonlySet<string>): DrawnEdge[] {
  const { graph } = useFlow()
  return useMemo(() => {
    const nameOf = (id: string): string => {
      const node = nodeOf(graph, id)
      return node ? nameOfNode(node) : ''
    }
    return graph.edges.map((edge) => {
      const isOnPath = path.has(edge.from) && path.has(edge.to)
      return {
        ...{ id: keyOfEdge(edge), source: edge.from, target: edge.to },
        sourceHandle: edge.condition,
        className: isOnPath ? 'flow-way on-path' : 'flow-way',
        ariaLabel: t('flow.way', { from: nameOf(edge.from), to: nameOf(edge.to) }),
      }
    })
  }, [graph.edges, path])
}
