export { plausibleTime } from '../../../platform/platform-time'

/** Prefix of the callback data of reactions, before the ID of the message reacted to. */
export const REACTION_KEY = 'reaction:'

/**
 * Ordering key of a contact's send jobs: they run one after the other, separately for each phone
 * number's gate.
 */
export const sendKey = (contactId: string): string => `send:${contactId}`

/** A reported status of a message. */
export interface StatusFact {
  status: string
  timestampMs: number
  receivedAtMs: number
  /** JSON `[{code, title, message, details, href}]`. */
  errors: string
  /** JSON. */
  pricing: string | null
  /** Platform ID of the template it was sent with. */
  templateId: string | null
}

/**
 * Message statuses as the API shows them (spec 3), including those before the platform accepted it.
 */
export type DeliveryStatus = 'pending' | 'unknown' | 'sent' | 'delivered' | 'read' | 'failed'

/** State of a message apart from its reported statuses. */
export interface LocalFacts {
  /** Status while the platform has reported none; `failed` if this server gave up. */
  base: 'pending' | 'unknown' | 'failed'
  /** When the platform accepted it, epoch milliseconds. */
  acceptedAtMs: number | null
}

/** Derived status of a message. */
export interface Delivery {
  status: DeliveryStatus
  sentAtMs: number | null
  deliveredAtMs: number | null
  readAtMs: number | null
  playedAtMs: number | null
  failedAtMs: number | null
  /** The newest reported price, JSON. */
  pricing: string | null
  /** Platform ID of the template it was sent with; `null` if no status names one. */
  templateId: string | null
  /** The failure the platform reported, if any. */
  failure: StatusFact | null
}

const RANK = new Map([
  ['sent', 1],
  ['delivered', 2],
  ['read', 3],
  ['played', 4],
])

/** Whether a reported status is a delivery status. Others are stored and ignored. */
export const isKnownStatus = (status: string): boolean => status === 'failed' || RANK.has(status)

const rankOf = (status: string): number => RANK.get(status) ?? 0

/**
 * The report that proves a status: its own, otherwise the next higher one because steps may be
 * skipped.
 */
export function reaching<F extends Pick<StatusFact, 'status'>>(
  facts: readonly F[],
  status: string,
): F | undefined {
  const own = facts.find((fact) => fact.status === status)
  const rank = rankOf(status)
  if (own || rank === 0) return own
  return facts
    .filter((fact) => rankOf(fact.status) > rank)
    .toSorted((a, b) => rankOf(a.status) - rankOf(b.status))[0]
}

/**
 * Derives a message's status from its reports. The result does not depend on order or repetition: a
 * status never goes back, `failed` holds only until a delivery is reported, and `delivered` or
 * `read` after `failed` wins while the error is kept (spec 3).
 */
export function deriveDelivery(facts: readonly StatusFact[], local: LocalFacts): Delivery {
  const timeOf = (status: string): number | null =>
    facts.find((fact) => fact.status === status)?.timestampMs ?? null
  const failure = facts.find((fact) => fact.status === 'failed') ?? null
  const playedAtMs = timeOf('played')
  const readAtMs = timeOf('read') ?? playedAtMs
  const deliveredAtMs = timeOf('delivered') ?? readAtMs
  const sentAtMs = timeOf('sent') ?? local.acceptedAtMs ?? deliveredAtMs
  const rank = Math.max(
    local.acceptedAtMs === null ? 0 : 1,
    ...facts.map((fact) => rankOf(fact.status)),
  )
  return {
    status: statusOf(rank, failure !== null || local.base === 'failed', local.base),
    sentAtMs,
    deliveredAtMs,
    readAtMs,
    playedAtMs,
    failedAtMs: failure?.timestampMs ?? null,
    pricing: newestPricing(facts),
    // All statuses name the same one; the order of their arrival must not matter if they do not.
    templateId: facts.flatMap((fact) => fact.templateId ?? []).toSorted()[0] ?? null,
    failure,
  }
}

function statusOf(rank: number, hasFailed: boolean, base: LocalFacts['base']): DeliveryStatus {
  if (rank >= 3) return 'read'
  if (rank === 2) return 'delivered'
  if (hasFailed) return 'failed'
  return rank === 1 ? 'sent' : base
}

function newestPricing(facts: readonly StatusFact[]): string | null {
  const priced = facts.filter((fact) => fact.pricing !== null)
  const newest = priced.toSorted(
    (a, b) =>
      b.timestampMs - a.timestampMs ||
      rankOf(b.status) - rankOf(a.status) ||
      (a.status < b.status ? -1 : 1),
  )[0]
  return newest?.pricing ?? null
}

/** Preview of a deleted message. */
export const REVOKED_PREVIEW = 'Message deleted'

/** Content fields that describe the kind of message, not its text. */
const KINDS = new Set(['kind', 'event', 'platform_type'])

/** Returns the content of a deleted message: the shape of its type without any values. */
export const emptied = (content: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(content)
      .filter(([key]) => key !== 'raw')
      .map(([key, value]) => [key, KINDS.has(key) ? value : emptyLike(value)]),
  )

function emptyLike(value: unknown): unknown {
  if (typeof value === 'boolean') return false
  return Array.isArray(value) ? [] : null
}

/** Held because the template is paused. */
export const TEMPLATE_PAUSED = 'template_paused'

/** Held because the platform still prepares the template for the marketing path. */
export const TEMPLATE_SYNCING = 'template_syncing'

/** Held because the phone number may only answer and the window is closed. */
export const RESTRICTED = 'restricted'

/** Held because an earlier message of the bot to the contact is not confirmed and may be repeated. */
export const EARLIER_UNCONFIRMED = 'earlier_unconfirmed'

/** Held because the business account of the phone number has no payment method. */
export const UNPAID = 'funding'
