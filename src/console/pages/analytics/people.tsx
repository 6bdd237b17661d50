import { useSearch } from '@tanstack/react-router'

import { useApi } from '../../live/query'
import { PlainButton } from '../../parts/button'
import { formatValue, type Unit } from '../../parts/chart/figures'
import { useShow } from '../../parts/list-page'
import { report as tell } from '../../parts/toast'
import { t, type TextKey } from '../../texts/texts'
import { Overview, type FigureSpec } from './overview'
import { ReportTable } from './report-table'
import { RowsChart } from './rows-chart'
import { useSpan } from './span'
import { useReport } from './use-report'

const FIGURES = [
  ['messages_sent', 'analytics.figure.written', 'number', undefined],
  ['transfers_handled', 'analytics.figure.handled', 'number', undefined],
  ['avg_first_response_seconds', 'analytics.figure.answer', 'seconds', 'down'],
  ['median_first_response_seconds', 'analytics.figure.answer-median', 'seconds', 'down'],
  ['avg_queue_seconds', 'analytics.figure.queue', 'seconds', 'down'],
  ['avg_resolution_seconds', 'analytics.figure.resolution', 'seconds', 'down'],
  ['sla_breached', 'analytics.figure.breached', 'number', 'down'],
  ['available_seconds', 'analytics.figure.available', 'seconds', undefined],
] as const satisfies readonly [string, TextKey, Unit, 'up' | 'down' | undefined][]
type FigureId = (typeof FIGURES)[number][0]

/** The figures of a team. */
const TEAM_SPECS: readonly FigureSpec[] = FIGURES.map(([id, text, unit, better]) => ({
  ...{ id, text, unit },
  ...(better === undefined ? {} : { better }),
}))

/** The same of one person, whose timeline has all of them. */
export const PERSON_SPECS = TEAM_SPECS.map((spec) => ({ ...spec, point: spec.id }))

const WITHOUT_TIMELINE: readonly { date: string }[] = []

/** The work of everybody or of a team, and of one person over time. */
export function People() {
  const { person } = useSearch({ from: '/analytics' })
  return person === undefined ? <Everybody /> : <Person id={person} />
}

function Everybody() {
  const search = useSearch({ from: '/analytics' })
  const show = useShow<{ person?: string | undefined; figure?: string | undefined }>()
  const { now, before, ...report } = useReport('GET /api/analytics/agents', {
    limit: 100,
    ...(search.team === undefined ? {} : { team_id: search.team }),
  })
  const [id, text, unit] = FIGURES.find(([one]) => one === search.figure) ?? FIGURES[0]
  const open = (userId: string | undefined): void => {
    show({ person: userId })
  }
  const sorted = now?.items.toSorted((one, other) => other[id] - one[id])
  return (
    <>
      <Overview
        name="analytics.tab.people"
        specs={TEAM_SPECS}
        {...report}
        now={now && { summary: now.summary, timeline: WITHOUT_TIMELINE }}
        before={before && { summary: before.summary, timeline: WITHOUT_TIMELINE }}
      />
      <RowsChart
        title={t(text)}
        unit={unit}
        rowName={t('analytics.people.person')}
        valueName={t(text)}
        onCsv={report.onCsv}
        rows={sorted?.map((one) => ({
          ...{ id: one.user_id, name: one.full_name, value: one[id] },
        }))}
      />
      <ReportTable
        title={t('analytics.people.all')}
        rows={now?.items}
        keyOf={({ user_id: userId }) => userId}
        onCsv={report.onCsv}
        columns={[
          {
            ...{ id: 'name', label: t('analytics.people.person') },
            cell: ({ user_id: userId, full_name: name }) => (
              <PlainButton
                className="as-link"
                onPress={() => {
                  open(userId)
                }}
              >
                <bdi>{name}</bdi>
              </PlainButton>
            ),
          },
          ...FIGURES.map(([figure, label, of]) => ({
            id: figure,
            label: t(label),
            cell: (item: Record<FigureId, number>) => formatValue(item[figure], of),
          })),
        ]}
      />
    </>
  )
}

function Person({ id }: { id: string }) {
  const { query, beforeQuery } = useSpan()
  const { compare } = useSearch({ from: '/analytics' })
  const wish = ({ start_date, end_date, granularity }: typeof query) => ({
    params: { user_id: id },
    query: { start_date, end_date, granularity },
  })
  const now = useApi('GET /api/analytics/agents/{user_id}', wish(query))
  const before = useApi('GET /api/analytics/agents/{user_id}', wish(beforeQuery), compare !== 'no')
  return (
    <>
      <h2>
        <bdi>{now.data?.agent.full_name ?? '…'}</bdi>
      </h2>
      <Overview
        name="analytics.tab.people"
        specs={PERSON_SPECS}
        now={now.data && { summary: now.data.agent, timeline: now.data.timeline }}
        before={before.data && { summary: before.data.agent, timeline: before.data.timeline }}
        error={now.error}
        onRetry={() => {
          now.refetch().catch(tell)
        }}
      />
    </>
  )
}
