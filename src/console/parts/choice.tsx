import type { ReactNode } from 'react'
import {
  Checkbox as AriaCheckbox,
  Switch as AriaSwitch,
  Tab as AriaTab,
  TabList,
  TabPanel as AriaTabPanel,
  Tabs as AriaTabs,
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

interface TabsProps {
  label: string
  tabs: readonly { id: string; label: string; content: ReactNode }[]
}

/** Panels of which one is shown. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <AriaTabs className="tabs">
      <TabList aria-label={label} items={tabs} className="tab-list">
        {(tab) => (
          <AriaTab id={tab.id} className="tab">
            {tab.label}
          </AriaTab>
        )}
      </TabList>
      {tabs.map((tab) => (
        <AriaTabPanel key={tab.id} id={tab.id} className="tab-panel">
          {tab.content}
        </AriaTabPanel>
      ))}
    </AriaTabs>
  )
}
