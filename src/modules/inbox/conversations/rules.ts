import type { THREAD_FACTS, THREAD_OWNERS } from './table'

/** The party that answers the customer of a thread. */
export type ThreadOwner = (typeof THREAD_OWNERS)[number]

/** Something that says who owned a thread at a time, epoch milliseconds. */
export interface ThreadFact {
  /** The owner, or `standby` for a customer's message that reached us as observers only. */
  kind: (typeof THREAD_FACTS)[number]
  atMs: number
  /** The role under which the owner got the thread, if a handover named it. */
  role?: string | null
}

/** Time of the newest fact of each kind; `null` for a kind without facts. */
export type ThreadTimes = Record<ThreadFact['kind'], number | null>

/** Owners in the order in which they win at the same time. A handover wins over a message. */
const PRECEDENCE = ['platform_agent', 'other_app', 'us', 'idle', 'unknown'] as const

/** An owner, and which facts tell since when. */
export interface DerivedOwner {
  owner: ThreadOwner
  /** The owner has the thread since the first fact of one of these kinds after `afterMs`. */
  since: { kinds: ThreadFact['kind'][]; afterMs: number; latestMs: number }
}

/**
 * Derives who owns a thread from the newest fact of each kind, in whatever order they arrived
 * (platform contract 1): the newest fact that names an owner counts. A later standby message proves
 * that it is not us: another known owner stays, otherwise the owner is unknown. Returns `null`
 * without facts.
 */
export function deriveOwner(newest: ThreadTimes): DerivedOwner | null {
  const [named] = PRECEDENCE.filter((kind) => newest[kind] !== null).toSorted(
    (a, b) => (newest[b] ?? 0) - (newest[a] ?? 0) || PRECEDENCE.indexOf(a) - PRECEDENCE.indexOf(b),
  )
  const namedAtMs = named === undefined ? 0 : (newest[named] ?? 0)
  const standbyMs = newest.standby ?? 0
  const isOthers = named === 'platform_agent' || named === 'other_app'
  const newestOf = (kinds: readonly ThreadFact['kind'][]): number =>
    Math.max(0, ...kinds.map((kind) => newest[kind] ?? 0))
  const others = (own: ThreadOwner): ThreadFact['kind'][] =>
    PRECEDENCE.filter((kind) => kind !== own)
  if (newest.standby !== null && standbyMs > namedAtMs && !isOthers)
    return {
      owner: 'unknown',
      since: {
        kinds: ['standby', 'unknown'],
        afterMs: newestOf(others('unknown')),
        latestMs: standbyMs,
      },
    }
  if (named === undefined) return null
  const against: ThreadFact['kind'][] = isOthers ? others(named) : [...others(named), 'standby']
  return {
    owner: named,
    since: {
      kinds: [named],
      afterMs: Math.min(newestOf(against), namedAtMs - 1),
      latestMs: namedAtMs,
    },
  }
}
