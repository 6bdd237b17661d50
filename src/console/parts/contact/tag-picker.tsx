import { useState } from 'react'

import { t } from '../../texts/texts'
import { useFound } from '../found-select'
import { Icon } from '../icons'
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
  /** Makes a tag of the typed words and chooses it, if the person may. */
  onCreate?: ((name: string) => void) | undefined
}

/** Stands for the tag that is not there yet. */
const NEW = 'new'

/** Chooses tags, however many there are. */
export function TagPicker(props: Props) {
  const { known, entriesOf, onPick, onChoose, onCreate, ...choice } = props
  const { entries: found, isAnswered, onSearch } = useFound<Tag>('tag')
  const [words, setWords] = useState('')
  const own = known.filter(({ name }) => matches(name, words))
  const name = words.trim()
  const isNew =
    onCreate !== undefined &&
    name !== '' &&
    isAnswered(name) &&
    ![...found, ...own].some((tag) => tag.name.toLowerCase() === name.toLowerCase())
  const shown = entriesOf(
    found.filter((tag) => matches(tag.name, words)),
    own,
  )
  return (
    <Picker
      {...choice}
      label={t('inbox.tags.title')}
      placeholder={t('inbox.tags.search')}
      items={[
        ...shown.map(({ key, label, color }) => ({
          id: key,
          label,
          mark: <span className={`tag-dot tag-${color}`} />,
        })),
        ...(isNew
          ? [
              {
                id: NEW,
                label: t('inbox.tags.create', { name }),
                mark: <Icon name="plus" size={14} />,
              },
            ]
          : []),
      ]}
      onPick={(key) => onPick?.(key)}
      {...(onChoose
        ? {
            onChoose: (picked: Set<string>) => {
              if (picked.has(NEW)) onCreate?.(name)
              else onChoose(picked)
            },
          }
        : {})}
      onSearch={(text) => {
        setWords(text)
        onSearch?.(text)
      }}
    />
  )
}
