import { Type, type Static } from '@sinclair/typebox'

import { oneOf } from '../../../lib/fields'
import { normalizeId } from '../../../lib/ids'
import { CAMPAIGN_STATUSES } from './model'
import type { CampaignFilter } from './queries'

/** Query parameters that filter a list of campaigns. */
export const campaignFilters = {
  status: Type.Optional(oneOf(CAMPAIGN_STATUSES)),
  account_id: Type.Optional(Type.String({ format: 'uuid' })),
  template_id: Type.Optional(Type.String({ format: 'uuid' })),
  segment_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Segment from which the audience is taken.' }),
  ),
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Part of the name.' }),
  ),
  from: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Created on or after this date, or at or after this time with offset.',
    }),
  ),
  to: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Created on or before this date, or at or before this time with offset.',
    }),
  ),
}

const Filters = Type.Object(campaignFilters)

/** Converts the query parameters of a list of campaigns. */
export const campaignFilterOf = (query: Static<typeof Filters>): CampaignFilter => ({
  status: query.status,
  accountId: query.account_id,
  templateId: query.template_id,
  segmentId: query.segment_id === undefined ? undefined : normalizeId(query.segment_id),
  search: query.search,
  from: query.from,
  to: query.to,
})
