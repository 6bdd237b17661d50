import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import type { Data } from '../../api/client'
import { useApi } from '../../live/query'
import { Button, PlainButton } from '../../parts/button'
import { formatValue } from '../../parts/chart/figures'
import { Checkbox } from '../../parts/choice'
import { useShow } from '../../parts/list-page'
import { Pager } from '../../parts/loaded'
import { Select } from '../../parts/select'
import { report as tell } from '../../parts/toast'
import { t } from '../../texts/texts'
import { Comparison } from './comparison'
import { knownIn } from './figures-of'
import { Overview } from './overview'
import {
  COMPARED,
  FIGURES,
  peopleIn,
  PERSON_SPECS,
  TEAM_SPECS,
  type FigureId,
} from './people-figures'
import { ReportTable } from './report-table'
import { RowsChart } from './rows-chart'
import { useSpan } from './span'
import { useReport } from './use-report'

/** People on a page. */
const PAGE = 100

const WITHOUT_TIMELINE: readonly { date: string }[] = []

/** The work of everybody or of a team, and of one person over time. */
export function People() {
  const { person } = useSearch({ from: '/analytics' })
  return person === undefined ? <Everybody /> : <Person id={person} />
}

function Everybody() {
  const search = useSearch({ from: '/analytics' })
  const show = useShow<{
    figure?: string | undefined
    page?: number | undefined
  }>()
  const { page = 1 } = search
  const { now, before, ...report } = useReport('GET /api/analytics/agents', { page, limit: PAGE })
  const compared = peopleIn(search.people)
  const [id, text, unit] = FIGURES.find(([one]) => one === search.figure) ?? FIGURES[0]
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
        actions={
          <Select
            label={t('analytics.people.figure')}
            isLabelHidden
            choices={FIGURES.map(([one, label]) => ({ id: one, label: t(label) }))}
            value={id}
            onChange={(figure) => {
              show({ figure })
            }}
          />
        }
        unit={unit}
        rowName={t('analytics.people.person')}
        valueName={t(text)}
        onCsv={report.onCsv}
        rows={sorted?.map((one) => ({
          ...{ id: one.user_id, name: one.full_name, value: knownIn(one, id) },
        }))}
      />
      {compared.length >= COMPARED.least && <Comparison ids={compared} />}
      <PeopleTable items={now?.items} onCsv={report.onCsv} />
      {now && (
        <Pager
          page={page}
          pages={now.total_pages}
          onPage={(next) => {
            show({ page: next })
          }}
        />
      )}
    </>
  )
}

interface TableProps {
  /** Absent while they are loaded. */
  items: readonly Data<'GET /api/analytics/agents'>['items'][number][] | undefined
  onCsv: () => void
}

/** Everybody with their figures; one is opened, some are ticked and compared. */
function PeopleTable({ items, onCsv }: TableProps) {
  const show = useShow<{ person?: string | undefined; people?: string | undefined }>()
  const [ticked, setTicked] = useState<readonly string[]>([])
  return (
    <ReportTable
      title={t('analytics.people.all')}
      actions={
        ticked.length >= COMPARED.least && (
          <Button
            onPress={() => {
              show({ people: ticked.join(',') })
            }}
          >
            {t('analytics.people.compare', { count: ticked.length })}
          </Button>
        )
      }
      rows={items}
      keyOf={({ user_id: userId }) => userId}
      onCsv={onCsv}
      columns={[
        {
          ...{ id: 'name', label: t('analytics.people.person') },
          cell: ({ user_id: userId, full_name: name }) => (
            <span className="ticked-name">
              <Checkbox
                aria-label={t('analytics.people.tick', { name })}
                isSelected={ticked.includes(userId)}
                isDisabled={!ticked.includes(userId) && ticked.length >= COMPARED.most}
                onChange={(isOn) => {
                  setTicked(isOn ? [...ticked, userId] : ticked.filter((one) => one !== userId))
                }}
              />
              <PlainButton
                className="as-link"
                onPress={() => {
                  show({ person: userId })
                }}
              >
                <bdi>{name}</bdi>
              </PlainButton>
            </span>
          ),
        },
        ...FIGURES.map(([figure, label, of]) => ({
          id: figure,
          label: t(label),
          cell: (item: Record<FigureId, number>) => formatValue(knownIn(item, figure), of),
        })),
      ]}
    />
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
