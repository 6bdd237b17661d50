import {
  Background,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Connection,
  type FinalConnectionState,
  type NodeChange,
} from '@xyflow/react'
import { useEffect, useRef, useState, type RefObject } from 'react'

import { Dialog } from '../../parts/dialog'
import { t } from '../../texts/texts'
import { Palette, useAdd } from './add-button'
import { CanvasTools, shown } from './canvas-tools'
import { Card, type CardNode } from './card'
import { sizeOf } from './model/card'
import { changeNodes, connect, type Place } from './model/commands'
import type { Point } from './model/graph'
import { motionMs } from './motion'
import { useCards, useWays } from './use-cards'
import { useCanvasKeys } from './use-canvas-keys'
import { useFlow } from './use-flow'

interface Props {
  /** The chosen step. */
  chosen: string | null
  /** Steps that the test ran through. */
  path: ReadonlySet<string>
  /** Chooses a step, or none; `isEdited` leads the focus to its settings. */
  onChoose: (id: string | null, isEdited?: boolean) => void
}

const TYPES = { card: Card }
/** How near to a port a way snaps to it, pixels. */
const SNAP = 48

/** The flow as cards that are moved and connected. */
export const Canvas = (props: Props) => (
  <ReactFlowProvider>
    <Drawing {...props} />
  </ReactFlowProvider>
)

/** What a new step is added for: a way that was dropped where nothing is. */
interface Dropped {
  place: Place
  at: Point
}

/** Returns how cards are moved: where they are dropped is kept, with where all others stand. */
function useMoving() {
  const { graph, store } = useFlow()
  const [moving, setMoving] = useState<ReadonlyMap<string, Point>>(new Map())
  return {
    moving,
    onMove: (changes: NodeChange<CardNode>[]): void => {
      const moved = changes.flatMap((one) =>
        one.type === 'position' && one.position ? [[one.id, one.position] as const] : [],
      )
      if (moved.length > 0) setMoving((before) => new Map([...before, ...moved]))
    },
    onMoved: (cards: readonly CardNode[]): void => {
      const places = cards.map(
        ({ id, position: { x, y } }) => [id, { position: pointAt(x, y) }] as const,
      )
      store.change(changeNodes(graph, new Map(places)))
      setMoving(new Map())
    },
  }
}

/** Returns how ways are drawn: to a card, or to where nothing is and a new step is wanted. */
function useJoining(onDropped: (dropped: Dropped) => void) {
  const { graph, store } = useFlow()
  const flow = useReactFlow()
  return {
    onConnect: ({ source, sourceHandle, target }: Connection): void => {
      if (sourceHandle === null) return
      store.change(connect(graph, { from: source, condition: sourceHandle }, target))
    },
    onConnectEnd: (event: MouseEvent | TouchEvent, state: FinalConnectionState): void => {
      const { fromHandle, toNode } = state
      if (toNode !== null || fromHandle?.type !== 'source' || fromHandle.id == null) return
      const { clientX: x, clientY: y } =
        'clientX' in event ? event : (event.changedTouches[0] ?? ZERO)
      const { x: left, y: top } = flow.screenToFlowPosition({ x, y })
      const place = { from: fromHandle.nodeId, condition: fromHandle.id }
      onDropped({ place, at: pointAt(left, top - HALF) })
    },
  }
}

/** Brings the chosen card into view, such as one that was just added. */
function useInView(
  chosen: string | null,
  cards: readonly CardNode[],
  box: RefObject<HTMLElement | null>,
): void {
  const flow = useReactFlow()
  const card = cards.find(({ id }) => id === chosen)
  useEffect(() => {
    const area = box.current?.getBoundingClientRect()
    if (!card || !area) return
    const { x, y } = card.position
    const { width, height } = sizeOf(card.data.node)
    const [from, to] = [
      flow.flowToScreenPosition({ x, y }),
      flow.flowToScreenPosition({ x: x + width, y: y + height }),
    ]
    const isSeen =
      from.x >= area.left && to.x <= area.right && from.y >= area.top && to.y <= area.bottom
    if (isSeen) return
    const settings = { zoom: flow.getZoom(), duration: motionMs() }
    flow.setCenter(x + width / 2, y + height / 2, settings).catch(() => undefined)
  }, [chosen])
}

/** How much of the canvas cards may fill, so that some room is left around them. */
const FILLED = 0.9

/**
 * Shows all cards again when another version took their place, and those that a test runs through:
 * with all the others where there is room for them.
 */
function useShown(path: ReadonlySet<string>, box: RefObject<HTMLElement | null>): void {
  const { replaced } = useFlow()
  const flow = useReactFlow()
  const show = (nodes?: { id: string }[]): void => {
    flow.fitView({ ...shown(), ...(nodes ? { nodes } : {}) }).catch(() => undefined)
  }
  useEffect(() => {
    if (replaced > 0) show()
  }, [replaced])
  useEffect(() => {
    const area = box.current?.getBoundingClientRect()
    const whole = flow.getNodesBounds(flow.getNodes())
    const isRoomy =
      area !== undefined && whole.width < area.width * FILLED && whole.height < area.height * FILLED
    if (path.size > 0) show(isRoomy ? undefined : [...path].map((id) => ({ id })))
  }, [path])
}

function Drawing(props: Props) {
  const { chosen, path, onChoose } = props
  const { isEditable } = useFlow()
  const { moving, onMove, onMoved } = useMoving()
  const [dropped, setDropped] = useState<Dropped | null>(null)
  const joining = useJoining(setDropped)
  const addStep = useAdd()
  const cards = useCards(chosen, path, moving)
  const ways = useWays(path)
  const onKeyDown = useCanvasKeys({ cards, onChoose })
  const box = useRef<HTMLElement>(null)
  useInView(chosen, cards, box)
  useShown(path, box)
  const close = (): void => {
    setDropped(null)
  }
  return (
    // the cards have the focus, and what they do not take comes here
    <section
      ref={box}
      className="flow-canvas"
      dir="ltr"
      aria-label={t('flow.canvas')}
      onKeyDown={onKeyDown}
    >
      <ReactFlow
        {...{ ...joining, ...SETTINGS, nodes: cards, edges: ways }}
        onNodesChange={onMove}
        onNodeDragStop={() => {
          onMoved(cards)
        }}
        onNodeClick={(_, { id }) => {
          onChoose(id)
        }}
        onPaneClick={() => {
          onChoose(null)
        }}
        nodesDraggable={isEditable}
        nodesConnectable={isEditable}
        ariaLabelConfig={{
          'node.a11yDescription.default': t('flow.canvas-keys'),
          'edge.a11yDescription.default': t('flow.way-keys'),
        }}
      >
        <Background gap={24} />
        <CanvasTools chosen={chosen} onChoose={onChoose} />
      </ReactFlow>
      {dropped && (
        <Dialog title={t('flow.palette')} isOpen onClose={close}>
          <Palette
            onPick={(kind) => {
              close()
              onChoose(addStep(kind, dropped.place, dropped.at), true)
            }}
          />
        </Dialog>
      )}
    </section>
  )
}

/** How the drawing behaves. Keys are ours. */
const SETTINGS = {
  nodeTypes: TYPES,
  connectionRadius: SNAP,
  disableKeyboardA11y: true,
  deleteKeyCode: null,
  selectionKeyCode: null,
  multiSelectionKeyCode: null,
  minZoom: 0.2,
  maxZoom: 1.5,
  fitView: true,
  fitViewOptions: { maxZoom: 1, padding: 0.1 },
} as const

const pointAt = (x: number, y: number): Point => ({ x: Math.round(x), y: Math.round(y) })
const ZERO = { clientX: 0, clientY: 0 }
/** How far the port of a card stands below its top. */
const HALF = 24
