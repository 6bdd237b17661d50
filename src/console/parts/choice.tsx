import type { ReactNode } from 'react'
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
