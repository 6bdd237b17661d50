import type { QueryClient } from '@tanstack/react-query'

/** The content of an event. */
export type Payload = Record<string, unknown>

/** What an event changes in the cache. */
export type Effect = (client: QueryClient, payload: Payload) => void
