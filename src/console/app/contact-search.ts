import { choiceIn, dayIn, idIn, objectIn, only, pageIn, textIn } from './search-values'

/** Which contacts are listed, and in which order, as the address says. */
export interface ContactsSearch {
  q?: string | undefined
  tag?: string | undefined
  /** A colleague, or `none`. */
  owner?: string | undefined
  segment?: string | undefined
  /** Conditions, as segments have them. */
  filter?: Record<string, unknown> | undefined
  sort?: 'name' | undefined
  order?: 'asc' | 'desc' | undefined
}

/** Reads the search parameters of the contacts. */
export const contactsSearch = (raw: Record<string, unknown>): ContactsSearch =>
  only(raw, {
    ...textIn(raw, 'q'),
    ...textIn(raw, 'tag'),
    ...idIn(raw, 'owner', 'none'),
    ...idIn(raw, 'segment'),
    ...objectIn(raw, 'filter'),
    ...(raw['sort'] === 'name' ? { sort: 'name' as const } : {}),
    ...choiceIn(raw, 'order', ['asc', 'desc'] as const),
  })

const DIRECTIONS_OF_CALLS = ['incoming', 'outgoing'] as const
const CALL_STATES = ['ringing', 'accepted', 'ended', 'missed', 'rejected', 'failed'] as const
const ORDER_STATES = ['new', 'confirmed', 'shipped', 'completed', 'cancelled'] as const

/** Which calls are listed, as the address says. */
export interface CallsSearch {
  direction?: (typeof DIRECTIONS_OF_CALLS)[number] | undefined
  state?: (typeof CALL_STATES)[number] | undefined
  account?: string | undefined
  days?: string | undefined
}

/** Reads the search parameters of the calls. */
export const callsSearch = (raw: Record<string, unknown>): CallsSearch =>
  only(raw, {
    ...choiceIn(raw, 'direction', DIRECTIONS_OF_CALLS),
    ...choiceIn(raw, 'state', CALL_STATES),
    ...idIn(raw, 'account'),
    ...textIn(raw, 'days'),
  })

/** Which orders are listed, as the address says. */
export interface OrdersSearch {
  state?: (typeof ORDER_STATES)[number] | undefined
  account?: string | undefined
  days?: string | undefined
}

/** Reads the search parameters of the orders. */
export const ordersSearch = (raw: Record<string, unknown>): OrdersSearch =>
  only(raw, {
    ...choiceIn(raw, 'state', ORDER_STATES),
    ...idIn(raw, 'account'),
    ...textIn(raw, 'days'),
  })

/** Which scheduled messages are listed, as the address says: otherwise those that wait. */
export interface ScheduledSearch {
  state?: 'sent' | 'failed' | 'cancelled' | 'all' | undefined
  account?: string | undefined
  mine?: true | undefined
  /** The day on which they are sent: `2026-12-01`. */
  day?: string | undefined
}

/** Reads the search parameters of the scheduled messages. */
export const scheduledSearch = (raw: Record<string, unknown>): ScheduledSearch =>
  only(raw, {
    ...choiceIn(raw, 'state', ['sent', 'failed', 'cancelled', 'all'] as const),
    ...idIn(raw, 'account'),
    ...(raw['mine'] === true ? { mine: true as const } : {}),
    ...dayIn(raw, 'day'),
  })

/** Which pair of duplicates is shown, as the address says. */
export interface DuplicatesSearch {
  pair?: number | undefined
  /** Whether pairs are listed that were told apart. */
  apart?: true | undefined
}

/** Reads the search parameters of the duplicates. */
export function duplicatesSearch(raw: Record<string, unknown>): DuplicatesSearch {
  const { page } = pageIn({ page: raw['pair'] })
  return only(raw, {
    ...(page === undefined ? {} : { pair: page }),
    ...(raw['apart'] === true ? { apart: true as const } : {}),
  })
}

/** Which step of an import is shown, as the address says. */
export interface ImportSearch {
  step?: 'columns' | 'known' | undefined
}

/** Reads the search parameters of an import. */
export const importSearch = (raw: Record<string, unknown>): ImportSearch =>
  only(raw, choiceIn(raw, 'step', ['columns', 'known'] as const))
