import type { QueryClient } from '@tanstack/react-query'

import type { Data, Route, Wish } from '../api/client'
import { takeStart } from '../api/session'
import { keepFirstList } from './conversation-list'
import { keyOf } from './query'

/** Time for which a ticket that came with the session is used, milliseconds: less than it lives. */
const TICKET_MS = 20_000

/** What the first pages show. The server sends the same with the session. */
export const FIRST = {
  notifications: { query: { unread: true, limit: 20 } },
  scheduled: { query: { mine: true, state: 'scheduled', order: 'asc', limit: 100 } },
  actions: { query: { active_only: true, limit: 50 } },
  views: { query: { resource: 'conversations', limit: 100 } },
  work: { query: { running: true, limit: 20 } },
} as const

let ticket: { text: string; atMs: number } | null = null

/** Keeps what came with the session as if it had been asked for. */
export function fillFromStart(client: QueryClient): void {
  const start = takeStart()
  const keep = <R extends Route>(route: R, data: Data<R> | undefined, wish?: Partial<Wish<R>>) => {
    if (data !== undefined) client.setQueryData(keyOf(route, wish), data)
  }
  keep('GET /api/organizations/branding', start.branding)
  keep('GET /api/conversations/counts', start.conversation_counts)
  if (start.conversations) keepFirstList(client, start.conversations)
  keep('GET /api/me/organizations', start.organizations)
  keep('GET /api/me/notifications', start.notifications, FIRST.notifications)
  keep('GET /api/scheduled-messages', start.scheduled_messages, FIRST.scheduled)
  keep('GET /api/custom-actions', start.custom_actions, FIRST.actions)
  keep('GET /api/views', start.views, FIRST.views)
  keep('GET /api/me/work', start.work, FIRST.work)
  keep('GET /api/admin/attention', start.server_attention)
  if (start.socket_ticket) ticket = { text: start.socket_ticket.ticket, atMs: performance.now() }
}

/** Returns the ticket that came with the session, once, or `null`. */
export function takeTicket(): string | null {
  const taken = ticket
  ticket = null
  return taken !== null && performance.now() - taken.atMs < TICKET_MS ? taken.text : null
}
