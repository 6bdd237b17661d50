import type { ReactNode } from 'react'
import {
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text,
} from 'react-aria-components'

import { t } from '../texts/texts'
import { Icon } from './icons'

/** One choice of a select. */
export interface Choice<K extends string> {
  id: K
  label: string
  hint?: string
}

interface Props<K extends string> {
  label: string
  choices: readonly Choice<K>[]
  value: K | null
  onChange: (value: K) => void
  hint?: string
  /** Whether the label is only for screen readers. */
  isLabelHidden?: boolean
  name?: string
  isDisabled?: boolean
}

/** A field with a list of choices, of which one is taken. */
export function Select<K extends string>({
  label,
  choices,
  value,
  onChange,
  hint,
  isLabelHidden = false,
  name,
  isDisabled = false,
}: Props<K>): ReactNode {
  return (
    <AriaSelect
      className="field"
      {...(isLabelHidden ? { 'aria-label': label } : {})}
      {...(name === undefined ? {} : { name })}
      isDisabled={isDisabled}
      value={value}
      onChange={(key) => {
        onChange(key as K)
      }}
      placeholder={t('parts.select.placeholder')}
    >
      {!isLabelHidden && <Label>{label}</Label>}
      <Button className="select-button">
        <SelectValue />
        <Icon name="down" size={16} />
      </Button>
      {hint !== undefined && <Text slot="description">{hint}</Text>}
      <FieldError />
      <Popover className="popover menu" offset={4}>
        <ListBox items={choices} className="list-box">
          {(choice) => (
            <ListBoxItem id={choice.id} textValue={choice.label} className="menu-item">
              <bdi>{choice.label}</bdi>
              {choice.hint !== undefined && <Text slot="description">{choice.hint}</Text>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}
