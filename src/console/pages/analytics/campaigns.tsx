import { Link } from '@tanstack/react-router'

import { formatValue } from '../../parts/chart/figures'
import { t } from '../../texts/texts'
import { ReportTable } from './report-table'
import { Overview, type FigureSpec } from './overview'
import { RowsChart } from './rows-chart'
import { useReport } from './use-report'

const SPECS: readonly FigureSpec[] = [
  { id: 'recipients', text: 'analytics.figure.recipients', unit: 'number' },
  { id: 'delivery_rate', text: 'analytics.figure.delivery-rate', unit: 'percent', better: 'up' },
  { id: 'read_rate', text: 'analytics.figure.read-rate', unit: 'percent', better: 'up' },
  { id: 'reply_rate', text: 'analytics.figure.reply-rate', unit: 'percent', better: 'up' },
  { id: 'clicked', text: 'analytics.figure.clicked', unit: 'number', better: 'up' },
  { id: 'opt_outs', text: 'analytics.figure.opt-outs', unit: 'number', better: 'down' },
]

/** The steps from the people who were meant to those who replied. */
const STEPS = ['recipients', 'sent', 'delivered', 'read', 'replied'] as const

const WITHOUT_TIMELINE: readonly { date: string }[] = []

/** How far the campaigns that began in these days came, and each of them. */
export function Campaigns() {
  const { now, before, ...report } = useReport('GET /api/analytics/campaigns', { limit: 100 })
  const money = now?.summary.currency ?? null
  return (
    <>
      <Overview
        name="analytics.tab.campaigns"
        specs={SPECS}
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
            ...{ id: code, name: message, value: count },
          }))}
        />
      </div>
      <ReportTable
        title={t('analytics.tab.campaigns')}
        rows={now?.items}
        keyOf={({ campaign_id: id }) => id}
        onCsv={report.onCsv}
        columns={[
          {
            ...{ id: 'name', label: t('analytics.campaigns.name') },
            cell: ({ name }) => (
              <Link to="/campaigns" search={{ q: name }}>
                <bdi>{name}</bdi>
              </Link>
            ),
          },
          ...(['recipients', 'delivered', 'read', 'replied', 'failed', 'opt_outs'] as const).map(
            (id) => ({
              id,
              label: t(id === 'opt_outs' ? 'analytics.figure.opt-outs' : `analytics.figure.${id}`),
              cell: (item: NonNullable<typeof now>['items'][number]) =>
                formatValue(item[id], 'number'),
            }),
          ),
          {
            ...{ id: 'cost', label: t('analytics.figure.cost') },
            cell: ({ actual_cost: cost, currency }) =>
              currency === null ? '–' : formatValue(Number(cost), `money ${currency}`),
          },
        ]}
      />
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
