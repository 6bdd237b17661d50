import { WEBHOOK_EVENTS } from '../../realtime/webhook-events'
import examples from './examples.json'

export type Example = Record<string, unknown> & { data: Record<string, unknown> }

const known: Record<string, Example | undefined> = examples

/** Returns a request body of this event type as it was sent in a test, or `null` if there is none. */
export const exampleBody = (type: string): Example | null => known[type] ?? null

/** Returns the data of the example of an event type, or `null` for an unknown type. */
export const exampleOf = (type: string): Record<string, unknown> | null =>
  WEBHOOK_EVENTS.some(({ value }) => value === type) ? (exampleBody(type)?.data ?? {}) : null
