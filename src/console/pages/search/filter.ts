import { serverNow } from '../../live/server-clock'

const DAY_MS = 24 * 3_600_000

export const DIRECTIONS = ['incoming', 'outgoing'] as const
export const TYPES = ['text', 'image', 'video', 'audio', 'document', 'template', 'order'] as const
/** Days before now from which on messages are found. */
export const SPANS = ['7', '30', '90', '365'] as const

/** Which messages are searched. */
export interface MessageFilter {
  account?: string
  direction?: (typeof DIRECTIONS)[number]
  type?: (typeof TYPES)[number]
  since?: (typeof SPANS)[number]
}

/** Whether only some messages are searched, and so no contacts. */
export const isFiltered = ({ account, direction, type, since }: MessageFilter): boolean =>
  [account, direction, type, since].some((one) => one !== undefined)

/** Returns the filter as the API takes it. The time is that of the minute, so that pages follow. */
export const queryOf = ({ account, direction, type, since }: MessageFilter) => ({
  ...(account === undefined ? {} : { account_id: account }),
  ...(direction === undefined ? {} : { direction }),
  ...(type === undefined ? {} : { type }),
  ...(since === undefined
    ? {}
    : { from: new Date(serverNow() - Number(since) * DAY_MS).toISOString() }),
})
