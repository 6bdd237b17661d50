import { useState } from 'react'

import { can } from '../api/shapes'
import { useMe } from '../live/me'
import { useApi } from '../live/query'
import { IconButton } from './button'
import { TextArea } from './field'
import { Icon } from './icons'
import { matches, usePeople } from './people'
import { Picker, type PickerItem } from './picker'
import { Popover } from './popover'
import { useSearchText } from './use-search-text'
import { t } from '../texts/texts'

/** Who gets a conversation, as the API takes it. */
export interface Owner {
  to: 'user' | 'team' | 'queue' | 'nobody'
  id?: string
}

/** Pause in typing after which colleagues are searched, milliseconds. */
const PAUSE_MS = 150
/** Most teams that are listed; a search finds the others. */
const MAX_TEAMS = 50

/** The queues that match a search: the general one, and that of each team, which the server finds. */
function useQueues(search: string, isOpen: boolean): PickerItem[] {
  const me = useMe()
  const isAllowed = can(me, 'transfers:create') || can(me, 'transfers:assign')
  const words = search.trim()
  const query = {
    limit: MAX_TEAMS,
    for: 'hand_over' as const,
    ...(words === '' ? {} : { search: words }),
  }
  const { data } = useApi('GET /api/teams', { query }, isOpen && isAllowed)
  if (!isAllowed) return []
  const mark = <Icon name="transfers" size={18} />
  const general = { id: 'queue:', label: t('inbox.assign.queue'), mark }
  return [
    ...(matches(general.label, search) ? [general] : []),
    ...(data?.items ?? []).map(({ id, name }) => ({
      id: `team:${id}`,
      label: name,
      hint: t('inbox.assign.team'),
      mark,
    })),
  ]
}

interface Props {
  label: string
  shortcut?: string
  /** Who has it now: a person, nobody, or several people. */
  assignedTo: string | null
  /** Whether only people can be chosen. */
  isForPeople?: boolean
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  onPick: (owner: Owner, more: { name: string; note: string }) => void
}

/** Chooses who gets a conversation: a person, a team, the general queue or nobody. */
export function AssignPicker({ label, shortcut, isOpen, onOpenChange, ...choice }: Props) {
  return (
    <Popover
      label={label}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      button={
        <IconButton icon="assign" label={label} {...(shortcut === undefined ? {} : { shortcut })} />
      }
    >
      {(close) => <Choice {...choice} label={label} close={close} />}
    </Popover>
  )
}

type ChoiceProps = Omit<Props, 'isOpen' | 'onOpenChange' | 'shortcut'> & { close: () => void }

function Choice({ label, assignedTo, isForPeople = false, onPick, close }: ChoiceProps) {
  const [search, setSearch] = useState('')
  const [, type] = useSearchText('', PAUSE_MS, setSearch)
  const [note, setNote] = useState('')
  const people = usePeople(search).map((one) => ({ ...one, id: `user:${one.id}` }))
  const queues = useQueues(search, !isForPeople)
  const nobody = { id: 'nobody:', label: t('inbox.assign.nobody') }
  const mayBeNobody = assignedTo !== null && matches(nobody.label, search)
  const items = [...people, ...(isForPeople ? [] : queues), ...(mayBeNobody ? [nobody] : [])]
  return (
    <>
      {!isForPeople && (
        <TextArea
          label={t('inbox.assign.note')}
          rows={2}
          value={note}
          onChange={setNote}
          maxLength={4_096}
        />
      )}
      <Picker
        label={label}
        placeholder={t('inbox.assign.search')}
        items={items}
        onSearch={type}
        onPick={(key) => {
          const [to, id = ''] = key.split(':') as [Owner['to'], string?]
          const name = items.find((item) => item.id === key)?.label ?? ''
          onPick({ to, ...(id === '' ? {} : { id }) }, { name, note: note.trim() })
          close()
        }}
      />
    </>
  )
}
