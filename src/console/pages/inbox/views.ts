import type { View as SavedView } from '../../api/shapes'
import type { ListFilter } from '../../live/conversation-list'

/** What the address of the inbox says. */
export interface Search {
  view?: View
  /** A saved view. */
  saved?: string
  team?: string
  account?: string
  tags?: string
  unread?: true
  q?: string
  message?: string
}

/** A way to look at the inbox; none is all open conversations. */
export type View = 'mine' | 'unassigned' | 'waiting' | 'snoozed' | 'bot' | 'closing' | 'closed'

const FILTERS: Record<View, ListFilter> = {
  mine: { state: 'open', assigned_to: 'me' },
  unassigned: { state: 'open', assigned_to: 'none' },
  waiting: { state: 'open', sort: 'oldest_unanswered' },
  snoozed: { state: 'snoozed' },
  bot: { state: 'pending' },
  closing: { state: 'open', window: 'closing' },
  closed: { state: 'closed' },
}

/** All views in the order of the menu. */
export const VIEWS = Object.keys(FILTERS) as View[]

/** Returns what a view shows before filters. A search looks everywhere. */
function baseOf({ view, q }: Search, saved: SavedView | null): ListFilter {
  // The server checks the filter of a saved view against the parameters of the list.
  if (saved) return saved.filter as ListFilter
  if (q !== undefined && q !== '') return {}
  return view ? FILTERS[view] : { state: 'open' }
}

/** Returns the filter of the API for what the address says. */
export function filterOf(search: Search, saved: SavedView | null = null): ListFilter {
  const { team, account, tags, unread, q } = search
  return {
    ...baseOf(search, saved),
    ...(q === undefined || q === '' ? {} : { search: q }),
    ...(team === undefined ? {} : { team_id: team }),
    ...(account === undefined ? {} : { account_id: account }),
    ...(tags === undefined ? {} : { tags }),
    ...(unread === true ? { unread } : {}),
  }
}
