import { PRESET_NAMES, daysText, type Bounds, type Days } from '../texts/days'
import { t } from '../texts/texts'
import { Button } from './button'
import { DaysCalendar } from './calendar'

interface Props extends Bounds {
  label: string
  /** A preset, or the first and the last day. */
  value: string
  days: Days | null
  onChoose: (value: string) => void
}

/** What `DateRange` opens; its code is loaded then. */
export function DaysPanel({ label, value, days, onChoose, ...bounds }: Props) {
  return (
    <div className="date-range">
      <ul className="date-presets">
        {PRESET_NAMES.map((preset) => (
          <li key={preset}>
            <Button
              look="quiet"
              aria-pressed={value === preset}
              onPress={() => {
                onChoose(preset)
              }}
            >
              {t(`parts.days.${preset}`)}
            </Button>
          </li>
        ))}
      </ul>
      <div className="date-calendar">
        <DaysCalendar
          label={label}
          value={days}
          {...bounds}
          onChange={(chosen) => {
            onChoose(daysText(chosen))
          }}
        />
      </div>
    </div>
  )
}
