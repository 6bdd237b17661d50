import { useMe } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Avatar } from '../../../parts/avatar'
import { IconButton } from '../../../parts/button'
import { Picker, type PickerItem } from '../../../parts/picker'
import { Popover } from '../../../parts/popover'
import { t } from '../../../texts/texts'

interface Props {
  /** Who answers now: a person, nobody, or several people. */
  assignedTo: string | null
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  onAssign: (userId: string | null) => void
}

const NOBODY = 'nobody'

/** Chooses the colleague who answers a conversation. */
export function AssignPicker({ assignedTo, isOpen, onOpenChange, onAssign }: Props) {
  const me = useMe()
  const { data } = useApi('GET /api/colleagues', { query: { limit: 100 } }, isOpen)
  const people = data?.items ?? []
  const first = people.filter(({ id }) => id === me.id)
  const items: PickerItem[] = [
    ...[...first, ...people.filter(({ id }) => id !== me.id)].map(
      ({ id, full_name: name, is_available: isAvailable }) => ({
        id,
        label: id === me.id ? t('inbox.assign.me', { name }) : name,
        mark: <Avatar name={name} size="small" />,
        ...(isAvailable ? {} : { hint: t('shell.account.away') }),
      }),
    ),
    ...(assignedTo === null ? [] : [{ id: NOBODY, label: t('inbox.assign.nobody') }]),
  ]
  return (
    <Popover
      label={t('inbox.assign.title')}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      button={<IconButton icon="assign" label={t('inbox.assign.title')} shortcut="A" />}
    >
      {(close) => (
        <Picker
          label={t('inbox.assign.title')}
          placeholder={t('inbox.assign.search')}
          items={items}
          onPick={(id) => {
            onAssign(id === NOBODY ? null : id)
            close()
          }}
        />
      )}
    </Popover>
  )
}
