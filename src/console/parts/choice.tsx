import { memo, type ReactNode } from 'react'
import {
  Checkbox as AriaCheckbox,
  Switch as AriaSwitch,
  type CheckboxProps,
  type SwitchProps,
} from 'react-aria-components'

import { Icon } from './icons'

/** A box that is ticked or not. Without children it needs an `aria-label`. */
export function Checkbox({
  children,
  ...props
}: Omit<CheckboxProps, 'className' | 'children'> & { children?: ReactNode }) {
  return (
    <AriaCheckbox {...props} className="checkbox">
      <span className="box" aria-hidden="true">
        <Icon name="check" size={14} />
      </span>
      {children}
    </AriaCheckbox>
  )
}

/** A box for each row of a long list: the browser's own, because many are drawn while scrolling. */
export const RowCheckbox = memo(function RowCheckbox({
  id,
  label,
  isSelected,
  onToggle,
}: {
  id: string
  label: string
  isSelected: boolean
  onToggle: (id: string) => void
}) {
  return (
    <label className="row-checkbox">
      <input
        type="checkbox"
        aria-label={label}
        checked={isSelected}
        onChange={() => {
          onToggle(id)
        }}
      />
    </label>
  )
})

/** A switch that takes effect at once. */
export function Switch({
  children,
  ...props
}: Omit<SwitchProps, 'className' | 'children'> & { children?: ReactNode }) {
  return (
    <AriaSwitch {...props} className="switch">
      <span className="track" aria-hidden="true" />
      {children}
    </AriaSwitch>
  )
}
