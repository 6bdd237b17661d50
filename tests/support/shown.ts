import type { Answer } from './client'

/** Headers that differ from one request to the next, whatever is asked. */
const OF_EACH_REQUEST = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** All that an answer shows to whoever asked, to compare two that must not be told apart. */
export const shownOf = ({ status, headers, body }: Answer<unknown>): Record<string, unknown> => ({
  status,
  headers: Object.fromEntries([...headers].filter(([name]) => !OF_EACH_REQUEST.includes(name))),
  body,
})
