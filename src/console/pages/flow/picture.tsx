import type { Graph, Node } from './model/graph'
import { sizeOf } from './model/card'
import { arranged } from './model/layout'
import { lineOf, nameOfNode } from './words'

/** Letters of a line in a picture. */
const LETTERS = 26

/** A small picture of a flow: its cards, arranged as on the canvas, and the ways between them. */
export function FlowPicture({ graph, label }: { graph: Graph; label: string }) {
  const places = arranged(graph, sizeOf)
  const cards = graph.nodes.map((node) => ({
    ...{ node, ...sizeOf(node) },
    ...(places.get(node.id) ?? { x: 0, y: 0 }),
  }))
  const byId = new Map(cards.map((card) => [card.node.id, card]))
  const width = Math.max(...cards.map((card) => card.x + card.width), 0) + MARGIN
  const height = Math.max(...cards.map((card) => card.y + card.height), 0) + MARGIN
  return (
    <svg className="flow-picture" role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`}>
      {graph.edges.map(({ from, to, condition }) => {
        const [one, other] = [byId.get(from), byId.get(to)]
        if (!one || !other) return null
        const [x1, y1] = [one.x + one.width, one.y + one.height / 2]
        const [x2, y2] = [other.x, other.y + other.height / 2]
        const middle = (x1 + x2) / 2
        return (
          <path
            key={`${from} ${condition}`}
            d={`M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`}
          />
        )
      })}
      {cards.map((card) => (
        <Card key={card.node.id} {...card} />
      ))}
    </svg>
  )
}

const MARGIN = 24

interface CardProps {
  node: Node
  x: number
  y: number
  width: number
  height: number
}

function Card({ node, x, y, width, height }: CardProps) {
  const words = lineOf(node).slice(0, LETTERS)
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect width={width} height={height} rx={14} />
      <text x={16} y={32} className="name">
        {nameOfNode(node).slice(0, LETTERS)}
      </text>
      <text x={16} y={60}>
        {words}
      </text>
    </g>
  )
}
