import type { ChatbotSettings } from '../api/shapes'
import { IconButton } from './button'
import { Checkbox } from './choice'
import { TimeField } from './time-field'
import { formatList, formatTimeOfDay, formatWeekday } from '../texts/format'
import { t } from '../texts/texts'

type Entry = ChatbotSettings['business_hours'][number]
type Interval = Pick<Entry, 'start_time' | 'end_time'>

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
/** What a day begins with that nothing else tells. */
const USUAL: Interval = { start_time: '09:00', end_time: '18:00' }
/** Stands between the beginning and the end. */
const UNTIL = '–'
/** Most spans of a day. */
const MOST = 4

/** The hours that a week begins with. */
export const USUAL_WEEK: Entry[] = DAYS.slice(0, 5).map((day) => ({ day, enabled: true, ...USUAL }))

/** Returns a time some hours later on the same day, as far as there is one. */
const later = (time: string, hours: number, most: number): string => {
  const hour = Number(time.slice(0, 2)) + hours
  return hour < most ? `${String(hour).padStart(2, '0')}${time.slice(2)}` : `${most}:00`
}

/** Returns the span that is offered after another one: after a break of an hour. */
const spanAfter = ({ end_time: end }: Interval): Interval => ({
  start_time: later(end, 1, 23),
  end_time: later(end, 4, 24),
})

/** Returns the spans of a day in the order of their beginning. */
const spansOf = (hours: readonly Entry[], day: Entry['day']): Interval[] =>
  hours.filter((one) => one.enabled && one.day === day)

/** Returns the hours of a week in words. */
export const weekInWords = (hours: readonly Entry[]): string =>
  DAYS.flatMap((day, at) => {
    const spans = spansOf(hours, day).map(
      ({ start_time: from, end_time: to }) =>
        `${formatTimeOfDay(from)}${UNTIL}${formatTimeOfDay(to)}`,
    )
    return spans.length === 0 ? [] : [`${formatWeekday(at)} ${formatList(spans)}`]
  }).join('; ')

interface SpansProps {
  /** The day, for screen readers. */
  day: string
  spans: readonly Interval[]
  onChange: (spans: Interval[]) => void
}

/** The fields of a day's opening hours. A day can have several spans. */
export function Spans({ day, spans, onChange }: SpansProps) {
  return (
    <div className="spans">
      {spans.map((span, at) => (
        <div key={at} className="span" role="group" aria-label={t('settings.hours.span', { day })}>
          <TimeField
            label={t('settings.hours.from', { day })}
            value={span.start_time}
            onChange={(time) => {
              onChange(spans.with(at, { ...span, start_time: time }))
            }}
          />
          <span aria-hidden="true">{UNTIL}</span>
          <TimeField
            label={t('settings.hours.to', { day })}
            value={span.end_time}
            onChange={(time) => {
              onChange(spans.with(at, { ...span, end_time: time }))
            }}
          />
          <IconButton
            icon="close"
            size={16}
            label={t('settings.hours.remove-span', { day })}
            onPress={() => {
              onChange(spans.toSpliced(at, 1))
            }}
          />
          {at === spans.length - 1 && spans.length < MOST && (
            <IconButton
              icon="plus"
              size={16}
              label={t('settings.hours.add-span', { day })}
              onPress={() => {
                onChange([...spans, spanAfter(span)])
              }}
            />
          )}
        </div>
      ))}
    </div>
  )
}

interface Props {
  hours: readonly Entry[]
  onChange: (hours: Entry[]) => void
}

/** A week, a day in a row, with the hours in which people answer. */
export function Week({ hours, onChange }: Props) {
  const change = (days: readonly Entry['day'][], spans: readonly Interval[]): void => {
    onChange(
      DAYS.flatMap((day) =>
        days.includes(day)
          ? spans.map((span) => ({ ...span, day, enabled: true }))
          : hours.filter((one) => one.day === day),
      ),
    )
  }
  /** The hours of the nearest open day before. */
  const before = (at: number): Interval[] =>
    DAYS.slice(0, at)
      .toReversed()
      .map((day) => spansOf(hours, day))
      .find((spans) => spans.length > 0) ?? [USUAL]
  const open = DAYS.filter((day) => spansOf(hours, day).length > 0)
  return (
    <div className="week" role="group" aria-label={t('settings.hours.week')}>
      {DAYS.map((day, at) => {
        const name = formatWeekday(at)
        const spans = spansOf(hours, day)
        return (
          <div key={day} className="week-day">
            <Checkbox
              isSelected={spans.length > 0}
              onChange={(isOpen) => {
                change([day], isOpen ? before(at) : [])
              }}
            >
              {name}
            </Checkbox>
            {spans.length === 0 ? (
              <p className="muted">{t('settings.hours.closed-day')}</p>
            ) : (
              <Spans
                day={name}
                spans={spans}
                onChange={(next) => {
                  change([day], next)
                }}
              />
            )}
            {open.length > 1 && open[0] === day && (
              <IconButton
                icon="copy"
                size={16}
                label={t('settings.hours.copy', { day: name })}
                onPress={() => {
                  change(open, spans)
                }}
              />
            )}
          </div>
        )
      })}
      {open.length === 0 && <p className="danger-text">{t('settings.hours.never-open')}</p>}
    </div>
  )
}
