/** How an endpoint of the round `webhooks` treats first tries; `down` fails until it is mended. */
export const BEHAVIORS = [
  'answers',
  'fails',
  'hangs',
  'redirects',
  'closes',
  'ordered',
  'contacts',
  'down',
] as const
export type Behavior = (typeof BEHAVIORS)[number]

/** A request as the receiver saw it, with the status of the whole response it gave. */
export interface Seen {
  /** Number of the organization, from the path. */
  organization: string
  behavior: Behavior
  id: string
  attempt: number
  timestamp: number
  signature: string
  text: string
  status: number | null
}

/** An endpoint that the round made. */
export interface Endpoint {
  id: string
  organization: string
  behavior: Behavior
  secret: string
}
