import type { Answer } from './client'

/** Headers that differ between requests. */
const OF_EACH_REQUEST = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/**
 * Returns everything a response shows to the caller, to compare two responses that must be equal.
 */
export const shownOf = ({ status, headers, body }: Answer<unknown>): Record<string, unknown> => ({
  status,
  headers: Object.fromEntries([...headers].filter(([name]) => !OF_EACH_REQUEST.includes(name))),
  body,
})
