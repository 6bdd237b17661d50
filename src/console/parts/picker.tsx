import type { ReactNode } from 'react'
import {
  Autocomplete,
  Input,
  Menu,
  MenuItem,
  SearchField,
  useFilter,
  type Selection,
} from 'react-aria-components'

import { t } from '../texts/texts'
import { Icon } from './icons'

/** One entry of a picker. */
export interface PickerItem {
  id: string
  label: string
  hint?: string
  /** Shown in front of the label. */
  mark?: ReactNode
  shortcut?: string
}

interface Props {
  label: string
  items: readonly PickerItem[]
  placeholder?: string
  /** IDs of chosen items. With it, several can be chosen. */
  chosen?: ReadonlySet<string>
  onPick: (id: string) => void
  onChoose?: (chosen: Set<string>) => void
  /** Called with the search text; the caller then filters the items itself. */
  onSearch?: (text: string) => void
}

/** A search field over a list; the arrow keys walk through the list while the field has the focus. */
export function Picker({ label, items, placeholder, chosen, onPick, onChoose, onSearch }: Props) {
  const { contains } = useFilter({ sensitivity: 'base' })
  return (
    <div className="picker">
      <Autocomplete {...(onSearch ? { onInputChange: onSearch } : { filter: contains })}>
        <SearchField
          aria-label={placeholder ?? t('parts.picker.search')}
          autoFocus
          className="search"
        >
          <Icon name="search" size={16} />
          <Input placeholder={placeholder ?? t('parts.picker.search')} dir="auto" />
        </SearchField>
        <Menu
          aria-label={label}
          items={items}
          className="list-box"
          // otherwise Escape, which closes the picker, takes back what was chosen
          escapeKeyBehavior="none"
          {...(chosen
            ? {
                selectionMode: 'multiple' as const,
                selectedKeys: chosen,
                onSelectionChange: (keys: Selection) => {
                  if (keys !== 'all') onChoose?.(new Set([...keys].map(String)))
                },
              }
            : {})}
          onAction={(key) => {
            if (!chosen) onPick(String(key))
          }}
          renderEmptyState={() => <p className="muted padded">{t('parts.picker.empty')}</p>}
        >
          {(item) => (
            <MenuItem
              id={item.id}
              textValue={`${item.label} ${item.hint ?? ''}`}
              className="menu-item"
            >
              {item.mark}
              <span className="grow">
                <bdi>{item.label}</bdi>
                {item.hint !== undefined && <small className="muted">{item.hint}</small>}
              </span>
              {item.shortcut !== undefined && <kbd>{item.shortcut}</kbd>}
              {chosen?.has(item.id) && <Icon name="check" size={16} />}
            </MenuItem>
          )}
        </Menu>
      </Autocomplete>
    </div>
  )
}
