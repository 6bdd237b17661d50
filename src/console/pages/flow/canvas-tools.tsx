import { Panel, useReactFlow, useStore } from '@xyflow/react'

import { Button, IconButton } from '../../parts/button'
import { t } from '../../texts/texts'
import { AddButton } from './add-button'
import { sizeOf } from './model/card'
import { changeNodes } from './model/commands'
import { DEFAULT, nodeOf } from './model/graph'
import { arranged } from './model/layout'
import { isLeaving } from './model/outcomes'
import { motionMs } from './motion'
import { useFlow } from './use-flow'
import { titleOf } from './words'

interface Props {
  chosen: string | null
  onChoose: (id: string | null, isEdited?: boolean) => void
}

/** How the canvas shows everything: not larger than it is, and moving, unless that is not wanted. */
export const shown = () => ({ duration: motionMs(), maxZoom: 1, padding: 0.1 })

/** Adds a step behind the chosen one, arranges all of them, and changes what is seen. */
export function CanvasTools({ chosen, onChoose }: Props) {
  const { graph, store, isEditable } = useFlow()
  const flow = useReactFlow()
  const zoom = useStore(({ transform: [, , scale] }) => scale)
  const node = chosen === null ? undefined : nodeOf(graph, chosen)
  const isAfter = node !== undefined && !isLeaving(node.type)
  const arrange = (): void => {
    const places = [...arranged(graph, sizeOf)].map(([id, position]) => [id, { position }] as const)
    store.change(changeNodes(graph, new Map(places)))
    requestAnimationFrame(() => {
      flow.fitView(shown()).catch(() => undefined)
    })
  }
  return (
    <>
      {isEditable && (
        <Panel position="top-left">
          <AddButton
            {...(isAfter ? { place: { from: node.id, condition: DEFAULT } } : {})}
            label={isAfter ? t('flow.add-after', { name: titleOf(node) }) : t('flow.palette')}
            onAdded={(id) => {
              onChoose(id, true)
            }}
            button={
              <Button icon="plus" look="plain">
                {t('flow.palette')}
              </Button>
            }
          />
        </Panel>
      )}
      <Panel position="bottom-left" className="flow-tools">
        {isEditable && <IconButton icon="table" label={t('flow.arrange')} onPress={arrange} />}
        <IconButton
          icon="expand"
          label={t('flow.fit')}
          onPress={() => {
            flow.fitView(shown()).catch(() => undefined)
          }}
        />
        <IconButton
          icon="plus"
          label={t('flow.zoom-in')}
          isDisabled={zoom >= 1.5}
          onPress={() => {
            flow.zoomIn(shown()).catch(() => undefined)
          }}
        />
        <IconButton
          icon="minus"
          label={t('flow.zoom-out')}
          isDisabled={zoom <= 0.2}
          onPress={() => {
            flow.zoomOut(shown()).catch(() => undefined)
          }}
        />
      </Panel>
    </>
  )
}
