import type { View as SavedView } from '../../api/shapes'
import type { ListFilter } from '../../live/conversation-list'

/** What the address of the inbox says. */
export interface Search {
  view?: View
  /** A saved view. */
  saved?: string
  /** A colleague, or `none`. */
  assigned?: string
  team?: string
  account?: string
  tags?: string
  /** A campaign: those who replied to it. */
  campaign?: string
  unread?: true
  sort?: Sort
  q?: string
  message?: string
}

/** An order of the list other than by the newest message. */
export type Sort = 'oldest_unanswered'

/** A way to look at the inbox; none is all open conversations. */
export type View =
  | 'mine'
  | 'queue'
  | 'unassigned'
  | 'mentions'
  | 'waiting'
  | 'snoozed'
  | 'bot'
  | 'closing'
  | 'closed'

const FILTERS: Record<View, ListFilter> = {
  mine: { state: 'open', assigned_to: 'me' },
  queue: { state: 'open', waiting: 'mine', sort: 'oldest_unanswered' },
  unassigned: { state: 'open', assigned_to: 'none' },
  mentions: { state: 'open', mentioned: 'me' },
  waiting: { state: 'open', sort: 'oldest_unanswered' },
  snoozed: { state: 'snoozed' },
  bot: { state: 'pending' },
  closing: { state: 'open', window: 'closing' },
  closed: { state: 'closed' },
}

/** All views in the order of the menu. */
export const VIEWS = Object.keys(FILTERS) as View[]

/** Returns what a view shows before filters. A search and replies to a campaign are looked for everywhere. */
function baseOf({ view, q, campaign }: Search, saved: SavedView | null): ListFilter {
  // The server checks the filter of a saved view against the parameters of the list.
  if (saved) return saved.filter as ListFilter
  if ((q !== undefined && q !== '') || campaign !== undefined) return {}
  return view ? FILTERS[view] : { state: 'open' }
}

/** Returns the filter of the API for what the address says. */
export function filterOf(search: Search, saved: SavedView | null = null): ListFilter {
  const { assigned, team, account, tags, campaign, unread, sort, q } = search
  return {
    ...baseOf(search, saved),
    ...(q === undefined || q === '' ? {} : { search: q }),
    ...(assigned === undefined ? {} : { assigned_to: assigned }),
    ...(team === undefined ? {} : { team_id: team }),
    ...(account === undefined ? {} : { account_id: account }),
    ...(tags === undefined ? {} : { tags }),
    ...(campaign === undefined ? {} : { campaign_id: campaign }),
    ...(unread === true ? { unread } : {}),
    ...(sort === undefined ? {} : { sort }),
  }
}
