import { Link, useSearch } from '@tanstack/react-router'
import { useLayoutEffect, useRef } from 'react'

import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Button, IconButton } from '../../parts/button'
import { useShow } from '../../parts/list-page'
import { formatShort } from '../../texts/format'
import { pointName } from '../../texts/points'
import { t } from '../../texts/texts'
import { useFilters } from './filters'
import { hourName, momentsOf } from './hours'
import { nameOr, RowsChart } from './rows-chart'

/** Conversations that are listed; the inbox of the filter has all of them. */
const MOST_LISTED = 50

interface Shown {
  point?: string | undefined
  hour?: string | undefined
  by_team?: string | undefined
}

/** One day: which team and which hour were slow, and the conversations behind them. */
export function Behind({ day }: { day: string }) {
  const { hour, by_team: team, team: chosenTeam } = useSearch({ from: '/analytics' })
  const show = useShow<Shown>()
  const section = useRef<HTMLElement>(null)
  // it lies below the chart, often below the window
  useLayoutEffect(() => {
    section.current?.scrollIntoView({ block: 'start' })
  }, [day])
  const query = { ...useFilters('quality'), start_date: day, end_date: day }
  const teams = useApi('GET /api/analytics/quality', { query: { ...query, group_by: 'team' } }).data
  const filter = team ?? chosenTeam
  const hours = useApi('GET /api/analytics/quality', {
    query: { ...query, group_by: 'hour', ...(filter === undefined ? {} : { team_id: filter }) },
  }).data
  const slowest = teams?.groups.filter(({ answers }) => answers > 0)
  return (
    <section ref={section} className="behind" aria-label={pointName(day, 'day').label}>
      <header className="section-head">
        <h2 className="grow">{pointName(day, 'day').label}</h2>
        <IconButton
          icon="close"
          label={t('parts.action.close')}
          onPress={() => {
            show({ point: undefined, hour: undefined, by_team: undefined })
          }}
        />
      </header>
      <div className="chart-pair">
        <RowsChart
          title={t('analytics.quality.teams')}
          unit="seconds"
          rowName={t('analytics.quality-group.team')}
          valueName={t('analytics.figure.answer')}
          onPoint={(nth) => {
            show({ by_team: slowest?.[nth]?.key ?? undefined })
          }}
          rows={slowest?.map(({ key, name, avg_first_response_seconds: value }) => ({
            ...{ id: key ?? 'none', name: nameOr(name, key), value },
          }))}
        />
        <RowsChart
          title={t('analytics.quality.hours')}
          kind="bar"
          unit="seconds"
          rowName={t('analytics.quality-group.hour')}
          valueName={t('analytics.figure.answer')}
          onPoint={(nth) => {
            show({ hour: hours?.groups[nth]?.key ?? undefined })
          }}
          rows={hours?.groups.map(({ key, avg_first_response_seconds: value }) => ({
            ...{ id: key ?? '', name: hourName(Number(key)), value },
          }))}
        />
      </div>
      {useCan('messages:read') && <Conversations day={day} hour={hour} team={filter} />}
    </section>
  )
}

function Conversations({
  day,
  hour,
  team,
}: {
  day: string
  hour: string | undefined
  team: string | undefined
}) {
  const { account, person, tag } = useSearch({ from: '/analytics' })
  const show = useShow<Shown>()
  const { from, before } = momentsOf(day, hour)
  const { data } = useApi('GET /api/conversations', {
    query: {
      ...{ answered_from: from, answered_before: before, limit: MOST_LISTED },
      ...(team === undefined ? {} : { answered_team_id: team }),
      ...(person === undefined ? {} : { answered_user_id: person }),
      ...(tag === undefined ? {} : { tags: tag }),
      ...(account === undefined ? {} : { account_id: account }),
    },
  })
  const title =
    hour === undefined
      ? t('analytics.quality.conversations')
      : t('analytics.quality.conversations-at', { time: hourName(Number(hour)) })
  return (
    <section className="chart" aria-label={title}>
      <header className="chart-head">
        <h3 className="grow">{title}</h3>
        {hour !== undefined && (
          <Button
            look="quiet"
            onPress={() => {
              show({ hour: undefined })
            }}
          >
            {t('analytics.quality.whole-day')}
          </Button>
        )}
      </header>
      {data?.items.length === 0 && <p className="muted">{t('analytics.quality.nobody')}</p>}
      <ul className="behind-list">
        {data?.items.map(({ id, contact, last_message: last }) => (
          <li key={id}>
            <Link to="/inbox/$conversationId" params={{ conversationId: id }} search={{}}>
              <bdi>
                {contact.display_name ?? contact.phone_number ?? t('parts.contact.nameless')}
              </bdi>
              {last && (
                <span className="muted small">
                  <bdi>{last.preview}</bdi> · {formatShort(last.timestamp)}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
