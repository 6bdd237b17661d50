import { Type, type Static } from '@sinclair/typebox'

import { StatusView } from '../../../outreach/campaigns/model'
import { fieldsOf } from '../report/rules'
import { reportFields } from '../report/model'
import { CAMPAIGN_FIGURES } from './rules'

const figures = {
  ...fieldsOf(CAMPAIGN_FIGURES.items),
  currency: Type.Union([Type.String(), Type.Null()], {
    description: '`null` if no price is known; the costs are 0.00 then.',
  }),
  failure_reasons: Type.Array(
    Type.Object({ code: Type.String(), message: Type.String(), count: Type.Integer() }),
    { description: 'Why messages failed, most frequent first, up to 10.' },
  ),
}

export const CampaignFigures = Type.Object(
  {
    campaign_id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    status: StatusView,
    ...figures,
  },
  { title: 'CampaignFigures' },
)
export type CampaignFigures = Static<typeof CampaignFigures>

const CampaignSummary = Type.Object(
  {
    ...figures,
    other_costs: Type.Array(
      Type.Object({
        estimated_cost: Type.String(),
        actual_cost: Type.String(),
        currency: Type.String(),
      }),
      { description: 'Sums in other currencies than `currency`.' },
    ),
  },
  { title: 'CampaignSummary' },
)
export type CampaignSummary = Static<typeof CampaignSummary>

/** The figures of the campaigns that began in a range. */
export const CampaignReport = Type.Object(
  {
    items: Type.Array(CampaignFigures),
    total: Type.Integer(),
    page: Type.Integer(),
    limit: Type.Integer(),
    total_pages: Type.Integer(),
    summary: CampaignSummary,
    ...reportFields,
  },
  { title: 'CampaignReport' },
)
export type CampaignReport = Static<typeof CampaignReport>
