import type { ListFilter } from '../../live/conversation-list'

/** What the address of the inbox says. */
export interface Search {
  view?: View
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

/** Returns the filter of the API for what the address says. A search looks everywhere. */
export function filterOf({ view, team, account, tags, unread, q }: Search): ListFilter {
  const base = view ? FILTERS[view] : { state: 'open' }
  return {
    ...(q === undefined || q === '' ? base : { search: q }),
    ...(team === undefined ? {} : { team_id: team }),
    ...(account === undefined ? {} : { account_id: account }),
    ...(tags === undefined ? {} : { tags }),
    ...(unread === true ? { unread } : {}),
  }
}
