import type { ReactNode } from 'react'
import {
  Autocomplete,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
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
  /** The title above it and its neighbors with the same one. */
  group?: string
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
  /** Whether more items are on their way, so that nothing is called empty yet. */
  isLoading?: boolean
}

/** Returns whether a text has another one in it, in upper or lower case and with or without accents. */
export const useContains = (): ((text: string, part: string) => boolean) =>
  useFilter({ sensitivity: 'base' }).contains

/** Stands between the label and the hint of an entry that is searched. */
const BREAK = '\n'

/**
 * Returns whether an entry is found: by a part of its label, or by how a word of its hint begins, as
 * hints are sentences in which nearly every part of a word is somewhere.
 */
function useIsFound(): (entry: string, part: string) => boolean {
  const contains = useContains()
  return (entry, part) => {
    const [label = '', hint = ''] = entry.split(BREAK)
    return contains(label, part) || contains(` ${hint}`, ` ${part.trimStart()}`)
  }
}

/** A search field over a list; the arrow keys walk through the list while the field has the focus. */
export function Picker(props: Props) {
  const { label, items, placeholder, chosen, onPick, onChoose, onSearch, isLoading = false } = props
  const isFound = useIsFound()
  const groups = Map.groupBy(items, ({ group }) => group)
  return (
    <div className="picker">
      <Autocomplete {...(onSearch ? { onInputChange: onSearch } : { filter: isFound })}>
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
          renderEmptyState={() => (
            <p className="muted padded">
              {t(isLoading ? 'parts.state.loading' : 'parts.picker.empty')}
            </p>
          )}
        >
          {[...groups].map(([group, members]) => {
            const rows = members.map((item) => (
              <Entry key={item.id} item={item} isChosen={chosen?.has(item.id) === true} />
            ))
            return group === undefined ? (
              rows
            ) : (
              <MenuSection key={group} id={`group ${group}`} className="menu-section">
                <Header>{group}</Header>
                {rows}
              </MenuSection>
            )
          })}
        </Menu>
      </Autocomplete>
    </div>
  )
}

function Entry({ item, isChosen }: { item: PickerItem; isChosen: boolean }) {
  return (
    <MenuItem
      id={item.id}
      textValue={`${item.label}${BREAK}${item.hint ?? ''}`}
      className="menu-item"
    >
      {item.mark}
      <span className="grow">
        <bdi>{item.label}</bdi>
        {item.hint !== undefined && (
          <small className="muted">
            <bdi>{item.hint}</bdi>
          </small>
        )}
      </span>
      {item.shortcut !== undefined && <kbd>{item.shortcut}</kbd>}
      {isChosen && <Icon name="check" size={16} />}
    </MenuItem>
  )
}
