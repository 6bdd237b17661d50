import type { Counter } from '../../../../infra/db/counter'

const ofMonth = (month: string): Counter['by'] => ({
  organization_id: 'row.organization_id',
  account_id: 'row.account_id',
  month,
})

/** Sums of costs, and counts of service messages. Those of erased messages stay. */
export const COUNTERS: readonly Counter[] = [
  {
    name: 'cost_totals',
    of: 'messages',
    into: 'cost_totals',
    by: { ...ofMonth('row.cost_month'), currency: "coalesce(row.cost_currency, '')" },
    when: 'row.cost_month IS NOT NULL',
    adds: {
      settled_micros: 'iif(row.is_cost_estimate, 0, coalesce(row.cost_micros, 0))',
      estimated_micros: 'iif(row.is_cost_estimate, coalesce(row.cost_micros, 0), 0)',
      estimated_messages: 'row.is_cost_estimate',
      unpriced_messages: 'row.cost_micros IS NULL',
    },
    deleted: 'stay',
  },
  {
    name: 'sent_service_messages',
    of: 'messages',
    into: 'service_counts',
    by: ofMonth('row.cost_month'),
    when: `row.cost_category = 'SERVICE' AND row.cost_month IS NOT NULL
      AND coalesce(row.cost_free_reason, '') NOT IN ('free_entry_point', 'not_delivered')`,
    adds: { sent: '1', delivered: '0' },
    deleted: 'stay',
  },
  {
    name: 'delivered_service_messages',
    of: 'messages',
    into: 'service_counts',
    by: ofMonth('row.allowance_month'),
    when: 'row.allowance_month IS NOT NULL',
    adds: { sent: '0', delivered: '1' },
    deleted: 'stay',
  },
]
