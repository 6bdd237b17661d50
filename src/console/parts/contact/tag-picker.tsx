import { useState } from 'react'

import { t } from '../../texts/texts'
import { useFound } from '../found-select'
import { matches } from '../people'
import { Picker } from '../picker'

interface Tag {
  id: string
  name: string
  color: string
}

interface Props {
  /** Tags that are listed even if the server finds others first. */
  known: readonly Tag[]
  /** The entries for the tags that were found, and for the known ones with the typed words. */
  entriesOf: (found: Tag[], known: Tag[]) => { key: string; label: string; color: string }[]
  chosen?: ReadonlySet<string>
  onPick?: (key: string) => void
  onChoose?: (chosen: Set<string>) => void
}

/** Chooses tags, however many there are. */
export function TagPicker({ known, entriesOf, onPick, ...choice }: Props) {
  const { entries: found, onSearch } = useFound<Tag>('tag')
  const [words, setWords] = useState('')
  const own = known.filter(({ name }) => matches(name, words))
  return (
    <Picker
      {...choice}
      label={t('inbox.tags.title')}
      placeholder={t('inbox.tags.search')}
      items={entriesOf(found, own).map(({ key, label, color }) => ({
        id: key,
        label,
        mark: <span className={`tag-dot tag-${color}`} />,
      }))}
      onPick={(key) => onPick?.(key)}
      {...(onSearch
        ? {
            onSearch: (text: string) => {
              setWords(text)
              onSearch(text)
            },
          }
        : {})}
    />
  )
}
