import type { ReactNode } from 'react'
import {
  Autocomplete,
  Button,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SearchField,
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
  /** How the chosen one reads if it is not among the choices. */
  chosen?: string
  /** Called with what is typed above the choices, and with nothing when they close. */
  onSearch?: (text: string) => void
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
  chosen,
  onSearch,
}: Props<K>): ReactNode {
  return (
    <AriaSelect
      className="field"
      {...(isLabelHidden ? { 'aria-label': label } : {})}
      {...(name === undefined ? {} : { name })}
      isDisabled={isDisabled}
      onOpenChange={(isOpen) => {
        if (!isOpen) onSearch?.('')
      }}
      value={value}
      onChange={(key) => {
        onChange(key as K)
      }}
      placeholder={t('parts.select.placeholder')}
    >
      {!isLabelHidden && <Label>{label}</Label>}
      <Button className="select-button">
        <SelectValue>{({ defaultChildren }) => chosen ?? defaultChildren}</SelectValue>
        <Icon name="down" size={16} />
      </Button>
      {hint !== undefined && <Text slot="description">{hint}</Text>}
      <FieldError />
      <Popover className="popover menu" offset={4}>
        {onSearch === undefined ? (
          <Choices choices={choices} />
        ) : (
          <div className="picker choices">
            <Autocomplete onInputChange={onSearch}>
              <SearchField aria-label={t('parts.picker.search')} autoFocus className="search">
                <Icon name="search" size={16} />
                <Input placeholder={t('parts.picker.search')} dir="auto" />
              </SearchField>
              <Choices choices={choices} />
            </Autocomplete>
          </div>
        )}
      </Popover>
    </AriaSelect>
  )
}

function Choices<K extends string>({ choices }: Pick<Props<K>, 'choices'>): ReactNode {
  return (
    <ListBox
      items={choices}
      className="list-box"
      renderEmptyState={() => <p className="muted padded">{t('parts.picker.empty')}</p>}
    >
      {(choice) => (
        <ListBoxItem id={choice.id} textValue={choice.label} className="menu-item">
          <bdi>{choice.label}</bdi>
          {choice.hint !== undefined && <Text slot="description">{choice.hint}</Text>}
        </ListBoxItem>
      )}
    </ListBox>
  )
}
