import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'

import type { Data } from '../../api/client'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { formatValue } from '../../parts/chart/figures'
import { nameOf } from '../../parts/contact/name'
import { useShow } from '../../parts/list-page'
import { Pager } from '../../parts/loaded'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { costKeyText, tooLongOr } from './code-text'
import { takenBy, useFilters } from './filters'
import { nameOr, RowsChart } from './rows-chart'
import { ReportTable } from './report-table'
import { useSpan } from './span'
import { useReportFile } from './use-report'

/** What costs can be compared by, as the API calls it. */
const COST_GROUPS = [
  'category',
  'country',
  'account',
  'campaign',
  'template',
  'source',
  'bot_flow',
  'agent',
  'conversation',
] as const
type CostGroup = (typeof COST_GROUPS)[number]
type Group = Data<'GET /api/analytics/costs'>['groups'][number]

/** Conversations on a page: each of them is asked for its name. */
const CONVERSATIONS = 20
const GROUPS = 100

/** Groups whose keys are words of the API. */
const WORDS: readonly CostGroup[] = ['category', 'country', 'source']

/** Returns what costs can be compared by: those of one campaign or colleague only by the number. */
function useGroups(): { groups: readonly CostGroup[]; by: CostGroup } {
  const search = useSearch({ from: '/analytics' })
  const taken = takenBy('costs', search)
  const groups = taken.includes('campaign')
    ? (['account', 'campaign'] as const)
    : taken.includes('person')
      ? (['account', 'agent'] as const)
      : COST_GROUPS
  return { groups, by: groups.find((one) => one === search.by) ?? groups[0] ?? 'account' }
}

/** What the costs are made of. */
export function CostGroups() {
  const { query } = useSpan()
  const { page = 1 } = useSearch({ from: '/analytics' })
  const show = useShow<{ by?: string | undefined; page?: number | undefined }>()
  const { groups, by } = useGroups()
  const limit = by === 'conversation' ? CONVERSATIONS : GROUPS
  const wish = { ...query, ...useFilters('costs'), group_by: by, page, limit }
  const { data, error } = useApi('GET /api/analytics/costs', { query: wish })
  const onCsv = useReportFile('GET /api/analytics/costs', { group_by: by })
  const actions = (
    <Select
      label={t('analytics.costs.by')}
      isLabelHidden
      choices={groups.map((id) => ({ id, label: t(`analytics.cost-group.${id}`) }))}
      value={by}
      onChange={(id) => {
        show({ by: id, page: undefined })
      }}
    />
  )
  if (error && !data)
    return (
      <section className="chart" aria-label={t('analytics.costs.by')}>
        <header className="chart-head">
          <h3 className="grow">{t('analytics.costs.by')}</h3>
          {actions}
        </header>
        <p className="chart-space muted">{tooLongOr(error, 'analytics.costs.too-long')}</p>
      </section>
    )
  const shown = { by, groups: data?.groups, currency: data?.summary.currency ?? null }
  return (
    <>
      {by === 'conversation' ? (
        <Talks {...{ ...shown, actions, onCsv }} />
      ) : (
        <Bars {...{ ...shown, actions, onCsv }} />
      )}
      {data && (
        <Pager
          page={page}
          pages={data.total_pages}
          onPage={(next) => {
            show({ page: next })
          }}
        />
      )}
    </>
  )
}

interface GroupsProps {
  by: CostGroup
  /** Absent while they are loaded. */
  groups: readonly Group[] | undefined
  /** In which the bars are; others are told beside them. */
  currency: string | null
  actions: ReactNode
  onCsv: () => void
}

/** The groups in one currency, as bars. */
const Bars = ({ by, groups, currency, actions, onCsv }: GroupsProps) => (
  <RowsChart
    title={t('analytics.costs.by')}
    unit={currency === null ? 'number' : `money ${currency}`}
    rowName={t(`analytics.cost-group.${by}`)}
    valueName={t('analytics.figure.cost')}
    onCsv={onCsv}
    actions={actions}
    rows={groups
      ?.filter((group) => group.currency === currency)
      .map(({ key, name, cost }) => ({
        id: key ?? 'none',
        name:
          key !== null && name === null && WORDS.includes(by)
            ? costKeyText(by, key)
            : nameOr(name, key),
        value: Number(cost),
      }))}
  />
)

/** Conversations with what they cost, each a step away. */
const Talks = ({ groups, actions, onCsv }: GroupsProps) => (
  <ReportTable
    title={t('analytics.costs.by')}
    actions={actions}
    rows={groups}
    keyOf={({ key, currency: of }) => `${key ?? ''} ${of ?? ''}`}
    onCsv={onCsv}
    columns={[
      {
        ...{ id: 'name', label: t('analytics.cost-group.conversation') },
        cell: ({ key }) => (key === null ? t('analytics.none') : <Talk id={key} />),
      },
      {
        ...{ id: 'messages', label: t('analytics.figure.billable') },
        cell: ({ billable_messages: count }) => formatValue(count, 'number'),
      },
      {
        ...{ id: 'free', label: t('analytics.figure.free') },
        cell: ({ free_messages: count }) => formatValue(count, 'number'),
      },
      { ...{ id: 'cost', label: t('analytics.figure.cost') }, cell: costOf },
    ]}
  />
)

const costOf = ({ cost, currency }: Group): string =>
  currency === null ? '–' : formatValue(Number(cost), `money ${currency}`)

/** A conversation by the name of its customer, for those who may read it. */
function Talk({ id }: { id: string }) {
  const mayRead = useCan('messages:read')
  const { data } = useApi('GET /api/conversations/{id}', { params: { id } }, mayRead)
  if (!data) return <>{t('analytics.costs.conversation')}</>
  return (
    <Link to="/inbox/$conversationId" params={{ conversationId: id }} search={{}}>
      <bdi>{nameOf(data.contact)}</bdi>
    </Link>
  )
}
