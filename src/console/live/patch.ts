import type { QueryClient } from '@tanstack/react-query'

import type { Frame } from './socket'

type Effect = (client: QueryClient, payload: Record<string, unknown>) => void

/** What each event changes in the cache. */
const EFFECTS: Record<string, Effect> = {}

/** Applies an event to everything that was loaded. Events without an effect are ignored. */
export function applyFrame(client: QueryClient, { type, payload }: Frame): void {
  EFFECTS[type]?.(client, payload)
}
