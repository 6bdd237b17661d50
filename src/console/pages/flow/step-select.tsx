import { useState } from 'react'

import { PlainButton } from '../../parts/button'
import { Icon } from '../../parts/icons'
import { Picker } from '../../parts/picker'
import { Popover } from '../../parts/popover'
import { t } from '../../texts/texts'
import { kindItems, useAdd } from './add-button'
import { MOST_NODES, type Place } from './model/commands'
import { nodeOf } from './model/graph'
import { kindOf } from './model/kinds'
import { useFlow } from './use-flow'
import { KIND_ICONS, titleOf } from './words'

interface Props {
  label: string
  /** The way that leads to it. */
  place: Place
  /** The chosen step; `null` for none. */
  value: string | null
  /** What no step means. */
  nowhere: string
  /** A step that cannot be chosen. */
  except: string | null
  onChange: (id: string | null) => void
  /** Called with the id of a step that was added here. */
  onAdded: (id: string) => void
}

/** Stands for no step, in the list. */
const NOWHERE = 'nowhere '

/**
 * A field to choose one of the steps of a flow, which is searched, because there may be 200, or to add
 * one.
 */
export function StepSelect({ label, place, value, nowhere, except, onChange, onAdded }: Props) {
  const { graph } = useFlow()
  const addStep = useAdd()
  const kinds = graph.nodes.length < MOST_NODES ? kindItems(t('flow.palette')) : []
  const [isOpen, setOpen] = useState(false)
  const chosen = value === null ? undefined : nodeOf(graph, value)
  const shown = chosen ? titleOf(chosen) : nowhere
  return (
    <div className="field">
      <span className="react-aria-Label" aria-hidden="true">
        {label}
      </span>
      <Popover
        label={label}
        placement="bottom start"
        isOpen={isOpen}
        onOpenChange={setOpen}
        button={
          <PlainButton className="select-button" aria-label={`${shown} ${label}`}>
            <bdi>{shown}</bdi>
            <Icon name="down" size={16} />
          </PlainButton>
        }
      >
        <Picker
          label={label}
          items={[
            { id: NOWHERE, label: nowhere, mark: <Icon name="close" size={18} /> },
            ...graph.nodes
              .filter(({ id }) => id !== except)
              .map((node) => ({
                id: node.id,
                label: titleOf(node),
                group: t('flow.steps'),
                mark: <Icon name={KIND_ICONS[kindOf(node)]} size={18} />,
              })),
            ...kinds,
          ]}
          onPick={(id) => {
            setOpen(false)
            const added = kinds.find((one) => one.id === id)
            if (added) onAdded(addStep(added.kind, place))
            else onChange(id === NOWHERE ? null : id)
          }}
        />
      </Popover>
    </div>
  )
}
