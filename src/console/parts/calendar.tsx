import { parseDate } from '@internationalized/date'
import {
  Button,
  Calendar as AriaCalendar,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  Heading,
  RangeCalendar,
} from 'react-aria-components'

import type { Bounds, Days } from '../texts/days'
import { Icon } from './icons'

/** Returns the bounds as the calendars of react-aria take them. */
export const boundsOf = ({ first, last }: Bounds) => ({
  ...(first === undefined ? {} : { minValue: parseDate(first) }),
  ...(last === undefined ? {} : { maxValue: parseDate(last) }),
})

/** A month: its name between two buttons, and its days in weeks that begin as the language has it. */
function Month() {
  return (
    <>
      <header className="calendar-head">
        <Button slot="previous" className="icon-button quiet">
          <Icon name="left" size={18} />
        </Button>
        <Heading className="grow" />
        <Button slot="next" className="icon-button quiet">
          <Icon name="right" size={18} />
        </Button>
      </header>
      <CalendarGrid weekdayStyle="short">
        <CalendarGridHeader>
          {(day) => <CalendarHeaderCell>{day}</CalendarHeaderCell>}
        </CalendarGridHeader>
        <CalendarGridBody>
          {(date) => <CalendarCell date={date} className="calendar-day" />}
        </CalendarGridBody>
      </CalendarGrid>
    </>
  )
}

/** A calendar for some days one after another. */
export function DaysCalendar({
  label,
  value,
  onChange,
  ...bounds
}: Bounds & { label: string; value: Days | null; onChange: (days: Days) => void }) {
  return (
    <RangeCalendar
      aria-label={label}
      className="calendar"
      {...boundsOf(bounds)}
      value={value && { start: parseDate(value.from), end: parseDate(value.to) }}
      {...(value ? { defaultFocusedValue: parseDate(value.to) } : {})}
      onChange={({ start, end }) => {
        onChange({ from: start.toString(), to: end.toString() })
      }}
    >
      <Month />
    </RangeCalendar>
  )
}

/** The calendar of the field for one day around it. */
export function DayCalendar() {
  return (
    <AriaCalendar className="calendar single">
      <Month />
    </AriaCalendar>
  )
}
