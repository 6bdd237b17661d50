import { Suspense, useState } from 'react'

import { serverNow } from '../live/server-clock'
import calendarStyle from '../styles/late/calendar.css'
import { isPreset, readDays, type Bounds } from '../texts/days'
import { dayOf, formatDays } from '../texts/format'
import { t } from '../texts/texts'
import { Button } from './button'
import { Icon } from './icons'
import { Popover } from './popover'
import { Skeleton } from './state'
import { styled } from './styled'
import { late } from './late'

const load = styled(() => import('./days-panel'), calendarStyle)
const DaysPanel = late(async () => (await load()).DaysPanel)

interface Props extends Bounds {
  label: string
  /** A preset, or the first and the last day (`daysText`): what the address says. */
  value: string
  onChange: (value: string) => void
}

/**
 * A button that tells which days are shown, and lets them be chosen: days that go on with the
 * calendar, such as the last seven, or a first and a last one. Today is that of the organization.
 */
export function DateRange({ label, value, onChange, ...bounds }: Props) {
  const [isOpen, setOpen] = useState(false)
  const today = dayOf(serverNow())
  const days = readDays(value, today)
  return (
    <Popover
      label={label}
      placement="bottom start"
      isOpen={isOpen}
      onOpenChange={setOpen}
      button={
        <Button icon="calendar">
          <span className={days === null ? '' : 'visually-hidden'}>{label}</span>
          {isPreset(value) && <span>{t(`parts.days.${value}`)}</span>}
          {days && <span className={isPreset(value) ? 'muted' : ''}>{formatDays(days)}</span>}
          <Icon name="down" size={16} />
        </Button>
      }
    >
      <Suspense fallback={<Skeleton rows={5} />}>
        <DaysPanel
          label={label}
          value={value}
          days={days}
          {...bounds}
          last={bounds.last ?? today}
          onChoose={(chosen) => {
            onChange(chosen)
            setOpen(false)
          }}
        />
      </Suspense>
    </Popover>
  )
}
