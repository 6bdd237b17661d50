import type { ReactNode } from 'react'
import { useState } from 'react'

import { IconButton } from '../../parts/button'
import { Icon } from '../../parts/icons'
import { Picker, type PickerItem } from '../../parts/picker'
import { Popover } from '../../parts/popover'
import { t } from '../../texts/texts'
import { add, MOST_NODES, type Place } from './model/commands'
import type { Point } from './model/graph'
import { newNode, PALETTE, type Kind } from './model/kinds'
import { useFlow } from './use-flow'
import { kindName, KIND_ICONS, newWords } from './words'

/** Returns what adds a step of a kind and returns its id. */
export function useAdd(): (kind: Kind, place?: Place, position?: Point) => string {
  const { graph, store } = useFlow()
  return (kind, place, position) => {
    const fresh = { ...newNode(graph, kind, newWords()), position: position ?? null }
    const [next, id] = add(graph, fresh, place)
    store.change(next)
    return id
  }
}

/** Returns all kinds of steps, in their groups or in the one that is named, to choose from. */
export const kindItems = (name?: string): (PickerItem & { kind: Kind })[] =>
  PALETTE.flatMap(({ group, kinds }) =>
    kinds.map((kind) => ({
      ...{ id: `new ${kind}`, kind },
      label: kindName(kind),
      hint: t(`flow.help.${kind}`),
      group: name ?? t(`flow.group.${group}`),
      mark: <Icon name={KIND_ICONS[kind]} size={18} />,
    })),
  )

interface PaletteProps {
  onPick: (kind: Kind) => void
}

/** All kinds of steps, in groups, with a search. */
export function Palette({ onPick }: PaletteProps) {
  const items = kindItems()
  return (
    <Picker
      label={t('flow.palette')}
      placeholder={t('flow.palette-search')}
      items={items}
      onPick={(id) => {
        const picked = items.find((one) => one.id === id)
        if (picked) onPick(picked.kind)
      }}
    />
  )
}

interface Props {
  place?: Place
  label: string
  /** Called with the id of the step that was added. */
  onAdded: (id: string) => void
  button?: ReactNode
}

/** A button that opens the palette and adds a step at a place. */
export function AddButton({ place, label, onAdded, button }: Props) {
  const { graph } = useFlow()
  const [isOpen, setOpen] = useState(false)
  const addStep = useAdd()
  if (graph.nodes.length >= MOST_NODES) return null
  return (
    <Popover
      label={label}
      isOpen={isOpen}
      onOpenChange={setOpen}
      button={button ?? <IconButton icon="plus" size={18} label={label} />}
    >
      <Palette
        onPick={(kind) => {
          setOpen(false)
          onAdded(addStep(kind, place))
        }}
      />
    </Popover>
  )
}
