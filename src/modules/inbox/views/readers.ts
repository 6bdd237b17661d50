import { Type, type Static } from '@sinclair/typebox'

import { InvalidError } from '../../../lib/errors'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { reader } from '../../../infra/read/reader'
import { campaignFilterOf, campaignFilters } from '../../outreach/campaigns/list-query'
import { countCampaignsUpTo } from '../../outreach/campaigns/queries'
import { countContactsUpTo } from '../contacts/list/list'
import { contactFilters, contactQueryOf } from '../contacts/list/list-query'
import { countConversationsUpTo } from '../conversations/list'
import { conversationFilterOf, conversationFilters } from '../conversations/list-query'
import type { ViewRow } from './table'

/** Counts end here. */
const MOST = 1_000

const [Conversations, Contacts, Campaigns] = [
  Type.Object(conversationFilters),
  Type.Object(contactFilters),
  Type.Object(campaignFilters),
]

/** What a view shows. `filter` was checked by the schema of the list when it was saved. */
interface ViewQuery {
  resource: ViewRow['resource']
  filter: unknown
}

/** Counts the rows that a view shows to the caller, up to 1,000; `null` if they cannot be counted. */
export const CountView = reader('views.count', 'list', (ctx, view: ViewQuery): number | null => {
  try {
    return countRows(ctx, view)
  } catch (error) {
    // The segment of the view is too expensive, or names a custom field that no longer exists.
    if (error instanceof InvalidError) return null
    throw error
  }
})

function countRows(ctx: ReadCtx, { resource, filter }: ViewQuery): number {
  if (resource === 'conversations')
    return countConversationsUpTo(
      ctx,
      conversationFilterOf(filter as Static<typeof Conversations>),
      MOST,
    )
  if (resource === 'contacts')
    return countContactsUpTo(ctx, contactQueryOf(filter as Static<typeof Contacts>), MOST)
  return countCampaignsUpTo(ctx, campaignFilterOf(filter as Static<typeof Campaigns>), MOST)
}
