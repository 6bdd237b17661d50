import { useState } from 'react'

import { serverNow } from '../../../live/server-clock'
import { Switch } from '../../../parts/choice'
import { TextField, textOf } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { IconButton } from '../../../parts/button'
import { Menu, MenuItem } from '../../../parts/menu'
import { dayOf, formatShort, formatTime, momentOf } from '../../../texts/format'
import { t } from '../../../texts/texts'
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

const DAY_MS = 24 * 3_600_000
const MAX_DAYS = 30

/** The window in which a time is chosen, by the clock of the organization. */
function TimeDialog({ onSchedule, onClose }: Omit<Props, 'isDisabled'> & { onClose: () => void }) {
  const [isCancelledByReply, setCancelled] = useState(true)
  const now = serverNow()
  return (
    <FormDialog
      title={t('inbox.scheduled.later')}
      submit={t('inbox.scheduled.save')}
      onClose={onClose}
      onSave={(data) => {
        const sendAt = new Date(momentOf(`${textOf(data, 'at')}:00`)).toISOString()
        onSchedule({ sendAt, isCancelledByReply })
        return Promise.resolve()
      }}
    >
      <TextField
        name="at"
        type="datetime-local"
        label={t('inbox.scheduled.time')}
        hint={t('inbox.scheduled.zone')}
        defaultValue={`${dayOf(now + DAY_MS)}T09:00`}
        validate={(text) => {
          const atMs = momentOf(`${text}:00`)
          return atMs > now && atMs < now + MAX_DAYS * DAY_MS ? null : t('inbox.scheduled.range')
        }}
        isRequired
      />
      <Switch isSelected={isCancelledByReply} onChange={setCancelled}>
        {t('inbox.scheduled.unless-reply')}
      </Switch>
    </FormDialog>
  )
}
