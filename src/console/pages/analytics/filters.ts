import { useSearch } from '@tanstack/react-router'

/** What figures can be limited to, by its name in the address, and how the API calls it. */
const QUERIES = {
  account: 'account_id',
  source: 'source',
  team: 'team_id',
  person: 'user_id',
  tag: 'tag_id',
  campaign: 'campaign_id',
  flow: 'flow_id',
} as const
export type FilterName = keyof typeof QUERIES
/** All of them, in their order. */
const FILTER_NAMES = Object.keys(QUERIES) as readonly FilterName[]

/** Those that the figures of each tab know; `null` for tabs without days. */
export const TABS = {
  board: null,
  live: null,
  messages: ['account', 'source'],
  people: ['team', 'person'],
  bot: ['account', 'flow'],
  campaigns: ['account', 'campaign'],
  costs: ['account', 'campaign', 'person'],
  quality: ['account', 'team', 'person', 'tag'],
  mine: [],
  reports: null,
} as const satisfies Record<string, readonly FilterName[] | null>
export type Tab = keyof typeof TABS

/** What the address limits figures to. */
export type Chosen = Partial<Record<FilterName, string | undefined>>

/** Returns those filters of the address that limit the figures of a tab. */
export function takenBy(tab: Tab, chosen: Chosen): FilterName[] {
  const known: readonly FilterName[] = TABS[tab] ?? []
  return known.filter(
    (name) =>
      chosen[name] !== undefined &&
      // costs are counted by campaign and by person, not by both
      !(tab === 'costs' && name === 'person' && chosen.campaign !== undefined),
  )
}

/** Returns those filters of the address that a tab knows nothing about. */
export const unusedBy = (tab: Tab, chosen: Chosen): FilterName[] => {
  const taken = takenBy(tab, chosen)
  return FILTER_NAMES.filter((name) => chosen[name] !== undefined && !taken.includes(name))
}

/** Returns the filters of a tab as the API takes them. */
export const queryOf = (tab: Tab, chosen: Chosen): Record<string, string> =>
  Object.fromEntries(takenBy(tab, chosen).map((name) => [QUERIES[name], chosen[name] ?? '']))

/** Returns what the address limits the figures of a tab to, as the API takes it. */
export const useFilters = (tab: Tab): Record<string, string> =>
  queryOf(tab, useSearch({ from: '/analytics' }))
