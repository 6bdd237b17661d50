import type { QueryClient } from '@tanstack/react-query'

import { refreshTops } from './conversation-list'
import { refreshRows, type RowsRoute } from './rows'

/** Time between two requests for the same thing, however many events ask for it, milliseconds. */
const PAUSE_MS: Record<string, number> = {
  counts: 8_000,
  lists: 2_000,
  rows: 4_000,
  'GET /api/chatbot/transfers': 4_000,
  'GET /api/team-board': 4_000,
  // counts the conversations of 30 days
  'GET /api/chatbot/flows/{id}/figures': 4_000,
}
const SHORT_MS = 1_000

interface Waiting {
  timer: ReturnType<typeof setTimeout> | null
  isAsked: boolean
}

const waiting = new WeakMap<QueryClient, Map<string, Waiting>>()

/** Does work at once, then at most once in `pauseMs` while it is asked for. */
function atMostEvery(
  client: QueryClient,
  { name, pauseMs }: { name: string; pauseMs: number },
  work: () => void,
): void {
  const known = waiting.get(client) ?? new Map<string, Waiting>()
  waiting.set(client, known)
  const entry = known.get(name) ?? { timer: null, isAsked: false }
  known.set(name, entry)
  if (entry.timer !== null) {
    entry.isAsked = true
    return
  }
  work()
  entry.timer = setTimeout(() => {
    entry.timer = null
    if (entry.isAsked) atMostEvery(client, { name, pauseMs }, work)
    entry.isAsked = false
  }, pauseMs)
}

/** Loads responses of a route again, as far as they are shown. */
export const invalidateSoon = (client: QueryClient, route: string): void => {
  atMostEvery(client, { name: route, pauseMs: PAUSE_MS[route] ?? SHORT_MS }, () => {
    client.invalidateQueries({ queryKey: [route] }).catch(() => undefined)
  })
}

/** What changes with the number of conversations. */
const COUNTED = ['GET /api/conversations/counts', 'GET /api/views/counts', 'GET /api/me/report']

/** Counts conversations again. */
export const recountSoon = (client: QueryClient): void => {
  atMostEvery(client, { name: 'counts', pauseMs: PAUSE_MS['counts'] ?? SHORT_MS }, () => {
    for (const route of COUNTED)
      client.invalidateQueries({ queryKey: [route] }).catch(() => undefined)
  })
}

/** Loads the beginning of the lists again, for a conversation that none of them has. */
export const refreshListsSoon = (client: QueryClient): void => {
  atMostEvery(client, { name: 'lists', pauseMs: PAUSE_MS['lists'] ?? SHORT_MS }, () => {
    refreshTops(client).catch(() => undefined)
  })
}

/** Loads the beginning of tables again, for rows that came, or that may belong elsewhere now. */
export const refreshRowsSoon = (client: QueryClient, route: RowsRoute): void => {
  atMostEvery(client, { name: `rows ${route}`, pauseMs: PAUSE_MS['rows'] ?? SHORT_MS }, () => {
    refreshRows(client, route).catch(() => undefined)
  })
}

/** Drops all requests that wait, when the session ends. */
export function dropRefreshes(client: QueryClient): void {
  for (const { timer } of waiting.get(client)?.values() ?? [])
    if (timer !== null) clearTimeout(timer)
  waiting.delete(client)
}
