import type { Contact } from '../../api/shapes'
import { t } from '../../texts/texts'
import { TagPicker } from './tag-picker'

interface Props {
  contacts: readonly Pick<Contact, 'tags'>[]
  /** Called with the ID of the chosen tag. */
  onChange: (kind: 'add' | 'remove', id: string) => void
}

/** Chooses a tag that many contacts get, or one of theirs that they lose. */
export function TagsOfMany({ contacts, onChange }: Props) {
  const present = new Map(contacts.flatMap(({ tags }) => tags.map((tag) => [tag.id, tag])))
  return (
    <TagPicker
      known={[...present.values()]}
      entriesOf={(found, known) => [
        ...found.map(({ id, name, color }) => ({
          ...{ key: `add ${id}`, label: t('inbox.bulk.tag.add', { name }), color },
        })),
        ...known.map(({ id, name, color }) => ({
          ...{ key: `remove ${id}`, label: t('inbox.bulk.tag.remove', { name }), color },
        })),
      ]}
      onPick={(picked) => {
        const [kind, id = ''] = picked.split(' ')
        onChange(kind === 'add' ? 'add' : 'remove', id)
      }}
    />
  )
}
