import { useState } from 'react'

import { IconButton } from '../../../parts/button'
import { Menu, MenuItem } from '../../../parts/menu'
import { formatShort, formatTime } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { LaterDialog } from '../../../parts/later-dialog'
import { laterTimes } from '../later-times'

interface Props {
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
  /** Gets the time, or `reply` for the customer's next message. */
  onSnooze: (until: string) => void
}

/** How far ahead conversations can be snoozed. */
const MOST_DAYS = 90

/** Hides a conversation until later, or until the customer writes. */
export function SnoozeMenu({ onSnooze, ...props }: Props) {
  const [isChoosing, setChoosing] = useState(false)
  return (
    <>
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
        <MenuItem
          id="choose"
          label={t('inbox.scheduled.choose')}
          onAction={() => {
            setChoosing(true)
          }}
        />
      </Menu>
      {isChoosing && (
        <LaterDialog
          title={t('inbox.snooze.until')}
          submit={t('inbox.snooze.title')}
          mostDays={MOST_DAYS}
          onChoose={onSnooze}
          onClose={() => {
            setChoosing(false)
          }}
        />
      )}
    </>
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
