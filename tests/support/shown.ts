import type { Answer } from './client'

/** Headers that differ from one request to the next, whatever is asked. */
const OF_EACH_REQUEST = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** All that a response shows to the caller, to compare two that must look alike. */
export const shownOf = ({ status, headers, body }: Answer<unknown>): Record<string, unknown> => ({
  status,
  headers: Object.fromEntries([...headers].filter(([name]) => !OF_EACH_REQUEST.includes(name))),
  body,
})
