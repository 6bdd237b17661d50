import { serverNow } from '../../live/server-clock'

const DAY_MS = 24 * 3_600_000

export const DIRECTIONS = ['incoming', 'outgoing'] as const
export const TYPES = ['text', 'image', 'video', 'audio', 'document', 'template', 'order'] as const
/** What is searched: everything, or one kind of it. */
export const KINDS = ['messages', 'contacts', 'notes', 'files'] as const
/** Days before now from which on messages are found. */
export const SPANS = ['7', '30', '90', '365'] as const

/** What is searched, and which messages. */
export interface MessageFilter {
  kind?: (typeof KINDS)[number]
  account?: string
  direction?: (typeof DIRECTIONS)[number]
  type?: (typeof TYPES)[number]
  since?: (typeof SPANS)[number]
}

/** Whether a kind is searched. Messages that are narrowed are searched alone. */
export const isSearched = (
  filter: MessageFilter,
  kind: 'messages' | 'contacts' | 'notes',
): boolean =>
  filter.kind === undefined
    ? kind === 'messages' || !isFiltered(filter)
    : filter.kind === kind || (kind === 'messages' && filter.kind === 'files')

/** Whether only some messages are searched, and so no contacts. */
export const isFiltered = ({ account, direction, type, since }: MessageFilter): boolean =>
  [account, direction, type, since].some((one) => one !== undefined)

/** Returns the filter as the API takes it. The time is that of the minute, so that pages follow. */
export const queryOf = ({ kind, account, direction, type, since }: MessageFilter) => ({
  ...(account === undefined ? {} : { account_id: account }),
  ...(direction === undefined ? {} : { direction }),
  ...(type === undefined ? {} : { type }),
  ...(kind === 'files' ? { type: 'document' } : {}),
  ...(since === undefined
    ? {}
    : { from: new Date(serverNow() - Number(since) * DAY_MS).toISOString() }),
})
