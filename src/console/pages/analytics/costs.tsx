import type { Data } from '../../api/client'
import { formatMoney } from '../../texts/format'
import { t } from '../../texts/texts'
import { Allowance } from './allowance'
import { CostGroups } from './cost-groups'
import { Overview } from './overview'
import { countDays } from '../../texts/days'
import { useSpan } from './span'
import { costSpecs } from './specs'
import { useReport } from './use-report'

type Summary = Data<'GET /api/analytics/costs'>['summary']

/** Days of a month, for the part of its budget that belongs to a day. */
const MONTH_DAYS = 30

/** What messages cost, by what they are, and how much of the budget that is. */
export function Costs() {
  // those of one campaign or colleague can only be compared by the number
  const report = useReport('GET /api/analytics/costs', { group_by: 'account' })
  const { days, granularity } = useSpan()
  const { now } = report
  const currency = now?.summary.currency ?? null
  const budget = now?.summary.budget ?? null
  const points = Math.max(1, now?.timeline.length ?? 1)
  return (
    <>
      <Overview
        name="analytics.tab.costs"
        specs={costSpecs(currency)}
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
      <CostGroups />
      {now && (
        <ul className="report-facts" aria-label={t('analytics.costs.more')}>
          {factsOf(now.summary).map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      )}
      <Allowance />
    </>
  )
}

/** Returns what else there is to know: other currencies, the AI, this month, and the budget. */
const factsOf = (summary: Summary): string[] => [
  ...summary.other_costs.map(({ cost, currency }) => formatMoney(Number(cost), currency)),
  t('analytics.costs.ai', {
    cost: formatMoney(Number(summary.ai_cost), summary.ai_cost_currency),
  }),
  ...(summary.month_to_date
    ? [
        t('analytics.costs.month', {
          cost: formatMoney(Number(summary.month_to_date.amount), summary.month_to_date.currency),
        }),
      ]
    : []),
]
