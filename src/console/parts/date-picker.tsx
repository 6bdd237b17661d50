import { parseDate, type CalendarDate } from '@internationalized/date'
import { useState } from 'react'
import {
  Button,
  DateInput,
  DatePicker as AriaDatePicker,
  DateSegment,
  Dialog,
  FieldError,
  Group,
  Label,
  Popover,
  Text,
} from 'react-aria-components'

import { t } from '../texts/texts'
import { boundsOf, DayCalendar } from './calendar'
import type { DateProps } from './date-field'
import { Icon } from './icons'

interface Policies {
  createPolicy: (name: string, rules: { createHTML: (html: string) => string | null }) => unknown
}
// The field empties what it said to screen readers by setting its HTML to nothing, which the policy of
// the page refuses as it does all HTML. Only nothing is let through.
const { trustedTypes } = globalThis as { trustedTypes?: Policies }
trustedTypes?.createPolicy('default', { createHTML: (html) => (html === '' ? '' : null) })

/** Earlier years are being written: 20 on the way to 2026. */
const FIRST_YEAR = 1_000

/** Reads a day; `null` for what is none, such as a month 0 that is being written. */
function readDay(text: string | null): CalendarDate | null {
  try {
    return text === null ? null : parseDate(text)
  } catch {
    return null
  }
}

/** The code of `DateField`, which is loaded when one is shown. */
export function DatePicker({
  label,
  isLabelHidden = false,
  hint,
  value,
  onChange,
  onClear,
  first,
  last,
  ...props
}: DateProps) {
  // what is being written, which is no day yet
  const [draft, setDraft] = useState<CalendarDate | null>(null)
  return (
    <AriaDatePicker
      {...props}
      {...(isLabelHidden ? { 'aria-label': label } : {})}
      className="field date-field"
      isRequired={!onClear}
      {...boundsOf({ first, last })}
      value={draft ?? readDay(value)}
      onBlur={() => {
        setDraft(null)
      }}
      onChange={(day) => {
        const isDay = day === null || (day.year >= FIRST_YEAR && readDay(day.toString()) !== null)
        setDraft(isDay ? null : day)
        if (day === null) onClear?.()
        else if (isDay) onChange(day.toString())
      }}
    >
      {!isLabelHidden && <Label>{label}</Label>}
      <Group className="date-group">
        <DateInput className="date-input">
          {(segment) => <DateSegment segment={segment} className="date-segment" />}
        </DateInput>
        <Button className="icon-button quiet" aria-label={t('parts.date.open')}>
          <Icon name="calendar" size={18} />
        </Button>
      </Group>
      {hint !== undefined && <Text slot="description">{hint}</Text>}
      <FieldError />
      <Popover className="popover" placement="bottom start" offset={4}>
        <Dialog className="popover-dialog">
          <DayCalendar />
        </Dialog>
      </Popover>
    </AriaDatePicker>
  )
}
