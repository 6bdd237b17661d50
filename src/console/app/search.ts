/** What the inbox shows, as its address says. */
export interface InboxSearch {
  view?: (typeof VIEWS)[number]
  /** A saved view. */
  saved?: string
  /** A colleague, or `none`. */
  assigned?: string
  team?: string
  account?: string
  tags?: string
  unread?: true
  sort?: 'oldest_unanswered'
  q?: string
  /** A message to jump to. */
  message?: string
}

const VIEWS = [
  'mine',
  'queue',
  'unassigned',
  'mentions',
  'waiting',
  'snoozed',
  'bot',
  'closing',
  'closed',
] as const

const textIn = (raw: Record<string, unknown>, name: string): Record<string, string> => {
  const value = raw[name]
  // a search parameter that looks like a number is one
  return typeof value === 'string' || typeof value === 'number'
    ? { [name]: String(value).slice(0, 300) }
    : {}
}

/**
 * Returns what was read, and nothing else of the address: the router keeps each raw parameter that
 * is not set here.
 */
const only = <T extends object>(raw: Record<string, unknown>, read: T): T => ({
  ...(Object.fromEntries(Object.keys(raw).map((name) => [name, undefined])) as Partial<T>),
  ...read,
})

/** Reads the search parameters of the inbox. Ignores what it does not know. */
export function inboxSearch(raw: Record<string, unknown>): InboxSearch {
  const view = VIEWS.find((one) => one === raw['view'])
  return only(raw, {
    ...(view ? { view } : {}),
    ...textIn(raw, 'saved'),
    ...textIn(raw, 'assigned'),
    ...textIn(raw, 'team'),
    ...textIn(raw, 'account'),
    ...textIn(raw, 'tags'),
    ...(raw['unread'] === true ? { unread: true as const } : {}),
    ...(raw['sort'] === 'oldest_unanswered' ? { sort: 'oldest_unanswered' as const } : {}),
    ...textIn(raw, 'q'),
    ...textIn(raw, 'message'),
  })
}

/** What is searched everywhere, as the address says. */
export interface EverywhereSearch {
  q?: string
}

/** Reads the search parameters of the search. */
export const everywhereSearch = (raw: Record<string, unknown>): EverywhereSearch =>
  only(raw, textIn(raw, 'q'))

/** Which transfers are shown, as the address says. */
export interface TransfersSearch {
  show?: 'mine' | 'active' | 'ended'
  /** A team ID, or `general`. */
  team?: string
  sla?: 'due' | 'breached'
  page?: number
}

const SHOWN = ['mine', 'active', 'ended'] as const
const DEADLINES = ['due', 'breached'] as const

/** Reads the search parameters of the transfers. Ignores what it does not know. */
export function transfersSearch(raw: Record<string, unknown>): TransfersSearch {
  const show = SHOWN.find((one) => one === raw['show'])
  const sla = DEADLINES.find((one) => one === raw['sla'])
  return only(raw, {
    ...(show ? { show } : {}),
    ...(sla ? { sla } : {}),
    ...textIn(raw, 'team'),
    ...pageIn(raw),
  })
}

/** What a list of the settings shows, as its address says. */
export interface SettingsSearch {
  page?: number
  /** ID of the role that a new one begins as. */
  from?: string
}

/** Reads the search parameters of the settings. Ignores what it does not know. */
export const settingsSearch = (raw: Record<string, unknown>): SettingsSearch =>
  only(raw, { ...pageIn(raw), ...textIn(raw, 'from') })

function pageIn({ page }: Record<string, unknown>): { page?: number } {
  return typeof page === 'number' && Number.isSafeInteger(page) && page > 1 ? { page } : {}
}
