import { useState, type ReactNode } from 'react'

import { ApiError } from '../../api/error'
import { useMe } from '../../live/me'
import { serverNow } from '../../live/server-clock'
import { DateField } from '../../parts/date-field'
import { FormDialog } from '../../parts/form-dialog'
import { TimeField } from '../../parts/time-field'
import { dayOf, momentOf } from '../../texts/format'
import { t } from '../../texts/texts'

const DAY_MS = 24 * 3_600_000

interface Props {
  title: string
  submit: string
  /** How far ahead the time may be. */
  mostDays: number
  onChoose: (at: string) => void
  onClose: () => void
  children?: ReactNode
}

/** The window in which a later time is chosen, by the clock of the organization. */
export function LaterDialog({ title, submit, mostDays, onChoose, onClose, children }: Props) {
  const { timezone: zone } = useMe().organization.settings
  const [day, setDay] = useState(() => dayOf(serverNow() + DAY_MS))
  const [time, setTime] = useState('09:00')
  const save = (): Promise<void> => {
    const atMs = momentOf(`${day}T${time}:00`)
    const aheadMs = atMs - serverNow()
    if (!(aheadMs > 0 && aheadMs < mostDays * DAY_MS))
      return Promise.reject(
        new ApiError(400, 'out_of_range', t('inbox.scheduled.range', { days: mostDays })),
      )
    onChoose(new Date(atMs).toISOString())
    return Promise.resolve()
  }
  return (
    <FormDialog title={title} submit={submit} onClose={onClose} onSave={save}>
      <div className="later">
        <DateField
          label={t('inbox.scheduled.day')}
          value={day}
          first={dayOf(serverNow())}
          last={dayOf(serverNow() + mostDays * DAY_MS)}
          onChange={setDay}
        />
        <TimeField label={t('inbox.scheduled.time')} value={time} onChange={setTime} />
      </div>
      <p className="muted small">{t('settings.hours.zone', { zone })}</p>
      {children}
    </FormDialog>
  )
}
