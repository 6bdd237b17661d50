import { Button, Input, SearchField } from 'react-aria-components'

import { t } from '../texts/texts'
import { Icon } from './icons'

interface Props {
  label: string
  value: string
  onChange: (text: string) => void
  autoFocus?: boolean
}

/** A search field. Its label stands in the field. */
export function SearchBox({ label, value, onChange, autoFocus = false }: Props) {
  return (
    <SearchField
      aria-label={label}
      value={value}
      onChange={onChange}
      autoFocus={autoFocus}
      className="search"
    >
      <Icon name="search" size={16} />
      <Input placeholder={label} dir="auto" />
      {value !== '' && (
        <Button className="icon-button small" aria-label={t('parts.action.clear')}>
          <Icon name="close" size={14} />
        </Button>
      )}
    </SearchField>
  )
}
