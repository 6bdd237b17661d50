import type { ChatbotSettings } from '../../api/shapes'
import { formatDate, formatList, formatTimeOfDay, momentOf } from '../../texts/format'
import { t } from '../../texts/texts'
import { weekInWords } from '../week'

type Holiday = ChatbotSettings['holidays'][number]

/** Returns the day of a holiday in words. */
export const holidayDay = ({ date }: Holiday): string => formatDate(momentOf(`${date}T12:00:00`))

/** Returns in words when a holiday is open. */
export const holidayHours = ({ intervals }: Holiday): string =>
  intervals.length === 0
    ? t('settings.hours.closed-day')
    : formatList(
        intervals.map(
          ({ start_time: from, end_time: to }) => `${formatTimeOfDay(from)}–${formatTimeOfDay(to)}`,
        ),
      )

/** Returns a week or holidays in words; `null` for other settings. */
export function hoursInWords(field: string, value: unknown): string | null {
  if (field === 'business_hours') return weekInWords(value as ChatbotSettings['business_hours'])
  if (field !== 'holidays') return null
  return (value as Holiday[])
    .toSorted((one, other) => one.date.localeCompare(other.date))
    .map((one) => `${[holidayDay(one), one.name].filter(Boolean).join(', ')}: ${holidayHours(one)}`)
    .join('; ')
}
