import { IconButton } from '../../../parts/button'
import { Menu, MenuItem } from '../../../parts/menu'
import { formatShort, formatTime } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { laterTimes } from '../later-times'

interface Props {
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
  /** Gets the time, or `reply` for the customer's next message. */
  onSnooze: (until: string) => void
}

/** Hides a conversation until later, or until the customer writes. */
export function SnoozeMenu({ onSnooze, ...props }: Props) {
  return (
    <Menu
      {...props}
      label={t('inbox.snooze.title')}
      button={<IconButton icon="snooze" label={t('inbox.snooze.title')} shortcut="S" />}
    >
      <MenuItem
        id="reply"
        label={t('inbox.snooze.reply')}
        onAction={() => {
          onSnooze('reply')
        }}
      />
      <Times onSnooze={onSnooze} />
    </Menu>
  )
}

/** Reckoned only while the menu is open. */
function Times({ onSnooze }: Pick<Props, 'onSnooze'>) {
  return laterTimes().map(({ id, atMs }) => (
    <MenuItem
      key={id}
      id={id}
      label={t(`inbox.snooze.${id}`)}
      detail={id === 'week' ? formatShort(atMs) : formatTime(atMs)}
      onAction={() => {
        onSnooze(new Date(atMs).toISOString())
      }}
    />
  ))
}
