import { Link, useSearch } from '@tanstack/react-router'

import type { Data } from '../../api/client'
import { formatValue } from '../../parts/chart/figures'
import { useShow } from '../../parts/list-page'
import { Pager } from '../../parts/loaded'
import { findText, t } from '../../texts/texts'
import { ReportTable } from './report-table'
import { Overview } from './overview'
import { RowsChart } from './rows-chart'
import { CAMPAIGN_SPECS } from './specs'
import { useReport } from './use-report'

/** The steps from the people who were meant to those who replied. */
const STEPS = ['recipients', 'sent', 'delivered', 'read', 'replied'] as const

/** Campaigns on a page. */
const PAGE = 50

const WITHOUT_TIMELINE: readonly { date: string }[] = []

/** How far the campaigns that began in these days came, and each of them. */
export function Campaigns() {
  const { page = 1 } = useSearch({ from: '/analytics' })
  const show = useShow<{ page?: number | undefined }>()
  const { now, before, ...report } = useReport('GET /api/analytics/campaigns', {
    page,
    limit: PAGE,
  })
  const money = now?.summary.currency ?? null
  return (
    <>
      <Overview
        name="analytics.tab.campaigns"
        specs={CAMPAIGN_SPECS}
        {...report}
        now={now && { summary: now.summary, timeline: WITHOUT_TIMELINE }}
        before={before && { summary: before.summary, timeline: WITHOUT_TIMELINE }}
      />
      <div className="chart-pair">
        <RowsChart
          title={t('analytics.campaigns.funnel')}
          kind="funnel"
          unit="number"
          rowName={t('analytics.campaigns.step')}
          valueName={t('analytics.figure.recipients')}
          rows={
            now &&
            (now.summary.recipients === 0
              ? []
              : STEPS.map((id) => ({
                  ...{ id, name: t(`analytics.figure.${id}`), value: now.summary[id] },
                })))
          }
        />
        <RowsChart
          title={t('analytics.campaigns.failures')}
          unit="number"
          rowName={t('analytics.campaigns.reason')}
          valueName={t('analytics.figure.failed')}
          rows={now?.summary.failure_reasons.map(({ code, message, count }) => ({
            ...{ id: code, name: findText(`campaigns.failure.${code}`) ?? message, value: count },
          }))}
        />
      </div>
      <CampaignTable items={now?.items} onCsv={report.onCsv} />
      {now && (
        <Pager
          page={page}
          pages={now.total_pages}
          onPage={(next) => {
            show({ page: next })
          }}
        />
      )}
      {money !== null && now && now.summary.other_costs.length > 0 && (
        <p className="muted small">
          {now.summary.other_costs
            .map((one) => formatValue(Number(one.actual_cost), `money ${one.currency}`))
            .join(' · ')}
        </p>
      )}
    </>
  )
}

type Item = Data<'GET /api/analytics/campaigns'>['items'][number]

interface TableProps {
  /** Absent while they are loaded. */
  items: readonly Item[] | undefined
  onCsv: () => void
}

/** Each campaign with its figures. */
const CampaignTable = ({ items, onCsv }: TableProps) => (
  <ReportTable
    title={t('analytics.tab.campaigns')}
    rows={items}
    keyOf={({ campaign_id: id }) => id}
    onCsv={onCsv}
    columns={[
      {
        ...{ id: 'name', label: t('analytics.campaigns.name') },
        cell: ({ campaign_id: id, name }) => (
          <Link to="/campaigns/$campaignId" params={{ campaignId: id }} search={{}}>
            <bdi>{name}</bdi>
          </Link>
        ),
      },
      ...(['recipients', 'delivered', 'read', 'replied', 'failed', 'opt_outs'] as const).map(
        (id) => ({
          id,
          label: t(id === 'opt_outs' ? 'analytics.figure.opt-outs' : `analytics.figure.${id}`),
          cell: (item: Item) => formatValue(item[id], 'number'),
        }),
      ),
      {
        ...{ id: 'cost', label: t('analytics.figure.cost') },
        cell: ({ actual_cost: cost, currency }) =>
          currency === null ? '–' : formatValue(Number(cost), `money ${currency}`),
      },
    ]}
  />
)
