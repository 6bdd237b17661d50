import { useReactFlow } from '@xyflow/react'
import type { KeyboardEvent } from 'react'

import type { CardNode } from './card'
import { sizeOf } from './model/card'
import { changeNodes, connect, remove } from './model/commands'
import { keyOfEdge, type Point } from './model/graph'
import { motionMs } from './motion'
import { useFlow } from './use-flow'

/** The direction of each arrow. */
const ARROWS: Readonly<Record<string, Point>> = {
  ArrowRight: { x: 1, y: 0 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowDown: { x: 0, y: 1 },
  ArrowUp: { x: 0, y: -1 },
}
/** How far Alt and an arrow move a card. */
const STEP = 24

const middleOf = ({ position: { x, y }, data }: CardNode): Point => {
  const { width, height } = sizeOf(data.node)
  return { x: x + width / 2, y: y + height / 2 }
}

/** Returns the nearest card in a direction. What lies aside counts as farther away. */
function nearest(cards: readonly CardNode[], from: CardNode, to: Point): CardNode | null {
  const start = middleOf(from)
  let best: { card: CardNode; distance: number } | null = null
  for (const card of cards) {
    const { x, y } = middleOf(card)
    const [dx, dy] = [x - start.x, y - start.y]
    const along = dx * to.x + dy * to.y
    const aside = Math.abs(dx * to.y) + Math.abs(dy * to.x)
    if (card.id === from.id || along <= 0) continue
    const distance = along + aside * 2
    if (best === null || distance < best.distance) best = { card, distance }
  }
  return best?.card ?? null
}

interface Props {
  cards: readonly CardNode[]
  onChoose: (id: string | null, isEdited?: boolean) => void
}

/** Walks between cards by arrows, opens, moves and deletes them, and deletes ways. */
export function useCanvasKeys({ cards, onChoose }: Props) {
  const { graph, store, isEditable } = useFlow()
  const flow = useReactFlow()
  const show = (card: CardNode): void => {
    const element = document.querySelector<HTMLElement>(
      `.flow-canvas [data-node="${CSS.escape(card.id)}"]`,
    )
    element?.focus({ preventScroll: true })
    const { x, y } = middleOf(card)
    flow.setCenter(x, y, { zoom: flow.getZoom(), duration: motionMs() }).catch(() => undefined)
  }
  const onCard = (event: KeyboardEvent, card: CardNode): boolean => {
    const arrow = ARROWS[event.key]
    if (arrow && event.altKey) {
      if (!isEditable) return false
      const places = cards.map(({ id, position }) => [id, { position }] as const)
      const position = {
        x: Math.round(card.position.x + arrow.x * STEP),
        y: Math.round(card.position.y + arrow.y * STEP),
      }
      const moved = new Map([...places, [card.id, { position }] as const])
      store.change(changeNodes(graph, moved), `${card.id}.position`)
      return true
    }
    if (arrow) {
      const next = nearest(cards, card, arrow)
      if (next) show(next)
      return true
    }
    if (event.key === 'Enter' || event.key === ' ') {
      onChoose(card.id, true)
      return true
    }
    if (event.key !== 'Delete' && event.key !== 'Backspace') return false
    if (isEditable) {
      const at = cards.indexOf(card)
      store.change(remove(graph, [card.id]))
      onChoose(null)
      const next = cards[at - 1] ?? cards[at + 1]
      if (next) show(next)
    }
    return true
  }
  return (event: KeyboardEvent<HTMLElement>): void => {
    const { target } = event
    if (!(target instanceof Element)) return
    const card = cards.find(({ id }) => target.matches(`[data-node="${CSS.escape(id)}"]`))
    const way = target.closest('.react-flow__edge')?.getAttribute('data-id')
    const edge = graph.edges.find((one) => keyOfEdge(one) === way)
    const isDelete = event.key === 'Delete' || event.key === 'Backspace'
    if (edge && isDelete && isEditable) {
      store.change(connect(graph, edge, null))
      event.preventDefault()
    }
    if (card && onCard(event, card)) event.preventDefault()
  }
}
