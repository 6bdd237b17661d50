import { useSearch } from '@tanstack/react-router'

import { useShow } from '../../parts/list-page'
import { Select } from '../../parts/select'
import { formatMoney } from '../../texts/format'
import { t } from '../../texts/texts'
import { costKeyText } from './code-text'
import { Overview, type FigureSpec } from './overview'
import { nameOr, RowsChart } from './rows-chart'
import { countDays } from '../../texts/days'
import { useSpan } from './span'
import { useReport } from './use-report'

/** What costs can be compared by, as the API calls it. */
export const COST_GROUPS = [
  'category',
  'country',
  'account',
  'campaign',
  'template',
  'source',
  'bot_flow',
  'agent',
] as const
type CostGroup = (typeof COST_GROUPS)[number]

const isGroup = (text: string | undefined): text is CostGroup =>
  COST_GROUPS.some((one) => one === text)

const specsIn = (currency: string | null): readonly FigureSpec[] => [
  {
    ...{ id: 'cost', text: 'analytics.figure.cost', better: 'down', point: 'cost' },
    unit: currency === null ? 'number' : `money ${currency}`,
  },
  {
    ...{ id: 'billable_messages', text: 'analytics.figure.billable', unit: 'number' },
    point: 'billable_messages',
  },
  {
    ...{ id: 'free_messages', text: 'analytics.figure.free', unit: 'number' },
    point: 'free_messages',
  },
  {
    ...{ id: 'unpriced_messages', text: 'analytics.figure.unpriced', unit: 'number' },
    point: 'unpriced_messages',
  },
]

/** Days of a month, for the part of its budget that belongs to a day. */
const MONTH_DAYS = 30

/** What messages cost, by what they are, and how much of the budget that is. */
export function Costs() {
  const search = useSearch({ from: '/analytics' })
  const show = useShow<{ by?: string | undefined }>()
  const by = isGroup(search.by) ? search.by : 'category'
  const report = useReport('GET /api/analytics/costs', { group_by: by, limit: 100 })
  const { days, granularity } = useSpan()
  const { now } = report
  const currency = now?.summary.currency ?? null
  const unit = currency === null ? 'number' : (`money ${currency}` as const)
  const budget = now?.summary.budget ?? null
  const points = Math.max(1, now?.timeline.length ?? 1)
  return (
    <>
      <Overview
        name="analytics.tab.costs"
        specs={specsIn(currency)}
        {...report}
        limit={
          budget?.currency === currency && budget && granularity !== 'hour'
            ? {
                of: 'cost',
                label: t('analytics.costs.budget-line', {
                  budget: formatMoney(Number(budget.monthly), budget.currency),
                }),
                value: ((Number(budget.monthly) / MONTH_DAYS) * countDays(days)) / points,
              }
            : undefined
        }
      />
      <RowsChart
        title={t('analytics.costs.by')}
        unit={unit}
        rowName={t(`analytics.cost-group.${by}`)}
        valueName={t('analytics.figure.cost')}
        onCsv={report.onCsv}
        rows={now?.groups
          .filter((group) => group.currency === currency)
          .map(({ key, name, cost }) => ({
            id: key ?? 'none',
            name:
              key !== null && name === null && ['category', 'country', 'source'].includes(by)
                ? costKeyText(by, key)
                : nameOr(name, key),
            value: Number(cost),
          }))}
        actions={
          <Select
            label={t('analytics.costs.by')}
            isLabelHidden
            choices={COST_GROUPS.map((id) => ({ id, label: t(`analytics.cost-group.${id}`) }))}
            value={by}
            onChange={(id) => {
              show({ by: id })
            }}
          />
        }
      />
      {now && (
        <p className="muted">
          {[
            ...now.summary.other_costs.map((one) => formatMoney(Number(one.cost), one.currency)),
            t('analytics.costs.ai', {
              cost: formatMoney(Number(now.summary.ai_cost), now.summary.ai_cost_currency),
            }),
            ...(now.summary.month_to_date
              ? [
                  t('analytics.costs.month', {
                    cost: formatMoney(
                      Number(now.summary.month_to_date.amount),
                      now.summary.month_to_date.currency,
                    ),
                  }),
                ]
              : []),
          ].join(' · ')}
        </p>
      )}
    </>
  )
}
