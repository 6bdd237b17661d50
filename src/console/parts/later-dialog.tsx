import { useState, type ReactNode } from 'react'

import { ApiError } from '../api/error'
import { useMe } from '../live/me'
import { serverNow } from '../live/server-clock'
import { DateField } from './date-field'
import { FormDialog } from './form-dialog'
import { TimeField } from './time-field'
import { dayOf, momentOf, timeOf } from '../texts/format'
import { t } from '../texts/texts'

const DAY_MS = 24 * 3_600_000

interface Props {
  title: string
  submit: string
  /** How far ahead the time may be. */
  mostDays: number
  /** The time that is chosen first; otherwise tomorrow morning. */
  at?: string
  /** Is told the time, and what else was filled in. */
  onChoose: (at: string, data: FormData) => void | Promise<unknown>
  onClose: () => void
  children?: ReactNode
}

/** The window in which a later time is chosen, by the clock of the organization. */
export function LaterDialog({ title, submit, mostDays, at, onChoose, onClose, children }: Props) {
  const { timezone: zone } = useMe().organization.settings
  const [day, setDay] = useState(() => dayOf(at ?? serverNow() + DAY_MS))
  const [time, setTime] = useState(() => (at === undefined ? '09:00' : timeOf(at)))
  const save = async (data: FormData): Promise<void> => {
    const atMs = momentOf(`${day}T${time}:00`)
    const aheadMs = atMs - serverNow()
    if (!(aheadMs > 0 && aheadMs < mostDays * DAY_MS))
      throw new ApiError(400, 'out_of_range', t('inbox.scheduled.range', { days: mostDays }))
    await onChoose(new Date(atMs).toISOString(), data)
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
