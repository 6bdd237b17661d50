export { plausibleTime } from '../../platform/platform-time'

/**
 * What the platform is to tell of a reaction of ours: this before the id of the message reacted to.
 */
export const REACTION_KEY = 'reaction:'

/**
 * Jobs of one contact's messages run one after the other, in the order of their rows; those of each
 * number of ours, behind its gate, by themselves.
 */
export const sendKey = (contactId: string): string => `send:${contactId}`

/** What the platform has said of a message: one row of the ledger. */
export interface StatusFact {
  status: string
  timestampMs: number
  receivedAtMs: number
  /** JSON `[{code, title, message, details, href}]`. */
  errors: string
  /** JSON. */
  pricing: string | null
}

/** The states of a message as people see them (spec 3), with those before the platform took it. */
export type DeliveryStatus = 'pending' | 'unknown' | 'sent' | 'delivered' | 'read' | 'failed'

/** What is known of a message apart from the ledger. */
export interface LocalFacts {
  /**
   * The status that holds while the platform has said nothing: pending, unknown, or failed when we
   * gave up ourselves.
   */
  base: 'pending' | 'unknown' | 'failed'
  /** When the platform took it from us, epoch milliseconds. */
  acceptedAtMs: number | null
}

/** Where a message stands. Times are epoch milliseconds. */
export interface Delivery {
  status: DeliveryStatus
  sentAtMs: number | null
  deliveredAtMs: number | null
  readAtMs: number | null
  playedAtMs: number | null
  failedAtMs: number | null
  /** The newest price the platform told, JSON. */
  pricing: string | null
  /** The failure the platform reported, if any. */
  failure: StatusFact | null
}

const RANK = new Map([
  ['sent', 1],
  ['delivered', 2],
  ['read', 3],
  ['played', 4],
])

/**
 * Whether a word of the platform's says where a message stands; other words are kept and mean
 * nothing.
 */
export const isKnownStatus = (status: string): boolean => status === 'failed' || RANK.has(status)

const rankOf = (status: string): number => RANK.get(status) ?? 0

/**
 * The fact by which somebody has reached a status: the one of it, else, as steps may be skipped,
 * the one of the next higher status.
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
 * Where a message stands, from everything that is known of it. A pure function of the set of facts:
 * in whatever order and how often they come, the outcome is the same. A status never goes back;
 * `failed` holds only while nothing says it was delivered; `delivered` or `read` after `failed`
 * wins and the error stays beside it (spec 3).
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

/** What lists show of a message its sender took back. */
export const REVOKED_PREVIEW = 'Message deleted'

/** Members of a content that say what it is rather than what was said. */
const KINDS = new Set(['kind', 'event', 'platform_type'])

/** The content of a message that was taken back: the shape of its type with nothing in it. */
export const emptied = (content: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      KINDS.has(key) ? value : Array.isArray(value) ? [] : null,
    ]),
  )

/** Why a message is held whose template the platform does not send at the moment. */
export const TEMPLATE_PAUSED = 'template_paused'

/**
 * Why a message is held that goes to a closed window while the platform lets its number only
 * answer.
 */
export const RESTRICTED = 'restricted'
