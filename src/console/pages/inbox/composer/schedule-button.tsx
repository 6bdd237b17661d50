import { useState } from 'react'

import { Switch } from '../../../parts/choice'
import { IconButton } from '../../../parts/button'
import { Menu, MenuItem } from '../../../parts/menu'
import { formatShort, formatTime } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { LaterDialog } from '../../../parts/later-dialog'
import { laterTimes } from '../later-times'
import type { Schedule } from './scheduled'

interface Props {
  isDisabled: boolean
  onSchedule: (schedule: Schedule) => void
}

/** Reckoned only while the menu is open. */
function Times({ onSchedule }: Pick<Props, 'onSchedule'>) {
  return laterTimes().map(({ id, atMs }) => (
    <MenuItem
      key={id}
      id={id}
      label={t(`inbox.scheduled.${id}`)}
      detail={id === 'week' ? formatShort(atMs) : formatTime(atMs)}
      onAction={() => {
        onSchedule({ sendAt: new Date(atMs).toISOString(), isCancelledByReply: true })
      }}
    />
  ))
}

/** Sends what is written later. */
export function ScheduleButton({ isDisabled, onSchedule }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Menu
        label={t('inbox.scheduled.later')}
        placement="top end"
        button={
          <IconButton icon="clock" label={t('inbox.scheduled.later')} isDisabled={isDisabled} />
        }
      >
        <Times onSchedule={onSchedule} />
        <MenuItem
          id="choose"
          label={t('inbox.scheduled.choose')}
          onAction={() => {
            setOpen(true)
          }}
        />
      </Menu>
      {isOpen && (
        <TimeDialog
          onSchedule={onSchedule}
          onClose={() => {
            setOpen(false)
          }}
        />
      )}
    </>
  )
}

/** How far ahead messages can be scheduled. */
const MOST_DAYS = 30

/** The window in which a time is chosen. */
function TimeDialog({ onSchedule, onClose }: Omit<Props, 'isDisabled'> & { onClose: () => void }) {
  const [isCancelledByReply, setCancelled] = useState(true)
  return (
    <LaterDialog
      title={t('inbox.scheduled.later')}
      submit={t('inbox.scheduled.save')}
      mostDays={MOST_DAYS}
      onClose={onClose}
      onChoose={(sendAt) => {
        onSchedule({ sendAt, isCancelledByReply })
      }}
    >
      <Switch isSelected={isCancelledByReply} onChange={setCancelled}>
        {t('inbox.scheduled.unless-reply')}
      </Switch>
    </LaterDialog>
  )
}
