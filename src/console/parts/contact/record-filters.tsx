import { serverNow } from '../../live/server-clock'
import { readDays } from '../../texts/days'
import { dayOf, endOfDay, momentOf } from '../../texts/format'
import { t } from '../../texts/texts'
import { DateField } from '../date-field'
import { DateRange } from '../date-range'
import { FoundFilter, useShow } from '../list-page'

const DEFAULT_DAYS = '90d'

/** Returns days of an address as the times that lists of calls and orders take. */
export function timesOf(days: string | undefined): { from?: string; to?: string } {
  const span = readDays(days ?? DEFAULT_DAYS, dayOf(serverNow()))
  if (!span) return {}
  const end = new Date(endOfDay(span.to)).toISOString()
  return { from: new Date(momentOf(`${span.from}T00:00:00`)).toISOString(), to: end }
}

/** Returns the times of one day of the organization; none without a day. */
export const timesOfDay = (day: string | undefined): { from?: string; to?: string } =>
  day === undefined
    ? {}
    : {
        from: new Date(momentOf(`${day}T00:00:00`)).toISOString(),
        to: new Date(endOfDay(day)).toISOString(),
      }

/** The field of a list that limits it to one day, also one to come. */
export function DayFilter({ value }: { value: string | undefined }) {
  const show = useShow<{ day?: string | undefined }>()
  return (
    <DateField
      label={t('records.day')}
      isLabelHidden
      value={value ?? null}
      onChange={(day) => {
        show({ day })
      }}
      onClear={() => {
        show({ day: undefined })
      }}
    />
  )
}

/** The field of a list that chooses its days. */
export function DaysFilter({ value }: { value: string | undefined }) {
  const show = useShow<{ days?: string | undefined }>()
  return (
    <DateRange
      label={t('analytics.days')}
      value={value ?? DEFAULT_DAYS}
      onChange={(days) => {
        show({ days })
      }}
    />
  )
}

/** The field of a list that chooses one of the organization's numbers. */
export function NumberFilter({ value }: { value: string | undefined }) {
  const show = useShow<{ account?: string | undefined }>()
  return (
    <FoundFilter
      kind="account"
      label={t('analytics.filter.account')}
      any={t('analytics.filter.any-account')}
      value={value}
      onChange={(account) => {
        show({ account })
      }}
    />
  )
}
