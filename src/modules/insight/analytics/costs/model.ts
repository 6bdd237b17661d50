import { Type, type Static } from '@sinclair/typebox'

import { CostMonth } from '../../../channel/accounts/connection/model'
import { SpendView } from '../../../organization/organizations/model'
import { fieldsOf } from '../report/rules'
import { pointDate, reportFields } from '../report/model'
import { COST_FIGURES } from './rules'

const { ai_cost, ...countedFigures } = fieldsOf(COST_FIGURES.summary)

const figures = {
  ...countedFigures,
  currency: Type.Union([Type.String(), Type.Null()], {
    description: '`null` if no message has a price.',
  }),
}

/** Messages and their costs. */
const CostFigures = Type.Object(figures)
export type CostFigures = Static<typeof CostFigures>

/** What costs can be grouped by. */
export const GROUPS = [
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
export type GroupBy = (typeof GROUPS)[number]

/** The costs of a group of messages in one currency. */
export const CostGroup = Type.Object(
  {
    key: Type.Union([Type.String(), Type.Null()], {
      description:
        'Category, country code or source, or the ID of the account, campaign, template, bot flow, ' +
        'member or conversation. `null` for messages that have none.',
    }),
    name: Type.Union([Type.String(), Type.Null()], {
      description: 'Name of the account, campaign, template, bot flow or member.',
    }),
    ...figures,
  },
  { title: 'CostGroup' },
)
export type CostGroup = Static<typeof CostGroup>

/** The costs of messages in a period. */
export const CostReport = Type.Object(
  {
    summary: Type.Object({
      ...figures,
      other_costs: Type.Array(Type.Object({ cost: Type.String(), currency: Type.String() }), {
        description: 'Sums in other currencies.',
      }),
      ai_cost,
      ai_cost_currency: Type.String(),
      month_to_date: Type.Union([CostMonth, Type.Null()], {
        description: 'Costs of this month in the organization’s time zone. `null` = none.',
      }),
      budget: Type.Union([SpendView, Type.Null()], {
        description: 'Monthly budget of the organization.',
      }),
    }),
    groups: Type.Array(CostGroup, {
      description: 'Highest cost first. A group with costs in two currencies has two entries.',
    }),
    total: Type.Integer({ description: 'Number of groups.' }),
    page: Type.Integer(),
    limit: Type.Integer(),
    total_pages: Type.Integer(),
    timeline: Type.Array(Type.Object({ ...pointDate, ...figures }), {
      description: 'One entry for each hour, day, week or month, oldest first.',
    }),
    ...reportFields,
  },
  { title: 'CostReport' },
)
export type CostReport = Static<typeof CostReport>
