import { useSearch } from '@tanstack/react-router'

import { useApi } from '../../live/query'
import { useShow } from '../../parts/list-page'
import { Select } from '../../parts/select'
import { countDays } from '../../texts/days'
import { formatWeekday } from '../../texts/format'
import { t } from '../../texts/texts'
import { Behind } from './behind'
import { tooLongOr } from './code-text'
import { useFilters } from './filters'
import { knownIn } from './figures-of'
import { hourName } from './hours'
import { Overview } from './overview'
import { nameOr, RowsChart } from './rows-chart'
import { useSpan } from './span'
import { QUALITY_SPECS } from './specs'
import { useReport } from './use-report'

/**
 * What quality can be compared by. Without a choice it is the hour of the day, as long as hours are
 * kept, and otherwise the day of the week.
 */
const GROUPS = ['hour', 'weekday', 'team', 'agent', 'account', 'tag'] as const
type Group = (typeof GROUPS)[number]

/** Days for which hours are kept. */
const KEPT_HOURS_DAYS = 90

/** How fast customers are answered; a point of the course leads to the conversations behind it. */
export function Quality() {
  const search = useSearch({ from: '/analytics' })
  const show = useShow<{
    by?: string | undefined
    point?: string | undefined
    hour?: string | undefined
  }>()
  const { days, granularity } = useSpan()
  const usual = countDays(days) > KEPT_HOURS_DAYS ? 'weekday' : 'hour'
  const by = GROUPS.find((one) => one === search.by) ?? usual
  const report = useReport('GET /api/analytics/quality')
  return (
    <>
      <Overview
        name="analytics.tab.quality"
        specs={QUALITY_SPECS}
        {...report}
        onPoint={(date) => {
          if (granularity === 'week' || granularity === 'month') {
            report.onPoint?.(date)
            return
          }
          const [day = '', time = ''] = date.split('T')
          show({
            point: day,
            hour: time === '' ? undefined : String(Number(time.slice(0, 2))),
          })
        }}
      />
      {search.point !== undefined && <Behind day={search.point} />}
      <Groups by={by} />
    </>
  )
}

function Groups({ by }: { by: Group }) {
  const filters = useFilters('quality')
  const { query } = useSpan()
  const show = useShow<{ by?: string | undefined }>()
  const { data, error } = useApi('GET /api/analytics/quality', {
    query: { ...query, ...filters, group_by: by },
  })
  const isTime = by === 'hour' || by === 'weekday'
  const choice = (
    <Select
      label={t('analytics.quality.by')}
      isLabelHidden
      choices={GROUPS.map((id) => ({ id, label: t(`analytics.quality-group.${id}`) }))}
      value={by}
      onChange={(id) => {
        show({ by: id })
      }}
    />
  )
  if (error && !data)
    return (
      <section className="chart" aria-label={t('analytics.quality.by')}>
        <header className="chart-head">
          <h3 className="grow">{t('analytics.quality.by')}</h3>
          {choice}
        </header>
        <p className="chart-space muted">{tooLongOr(error, 'analytics.quality.too-long')}</p>
      </section>
    )
  return (
    <RowsChart
      title={t('analytics.quality.by')}
      kind={isTime ? 'bar' : 'rows'}
      unit="seconds"
      rowName={t(`analytics.quality-group.${by}`)}
      valueName={t('analytics.figure.answer')}
      actions={choice}
      rows={data?.groups.map(({ key, name, ...figures }) => ({
        id: key ?? 'none',
        value: knownIn(figures, 'avg_first_response_seconds'),
        name:
          by === 'hour'
            ? hourName(Number(key))
            : by === 'weekday'
              ? formatWeekday(Number(key) - 1)
              : nameOr(name, key),
      }))}
    />
  )
}
