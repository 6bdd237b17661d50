import type { transfers } from './table'

/** Database row of a transfer. */
export type TransferRow = typeof transfers.$inferSelect

/** The deadlines of a transfer and the facts that stop them. Times are epoch milliseconds. */
export type TransferClocks = Pick<
  TransferRow,
  | 'status'
  | 'firstResponseAtMs'
  | 'responseDueAtMs'
  | 'resolutionDueAtMs'
  | 'breachedAtMs'
  | 'escalationDueAtMs'
  | 'expiresAtMs'
  | 'reminderDueAtMs'
  | 'agentDueAtMs'
  | 'pausedAtMs'
>

/**
 * Returns when the SLA is first missed, or `null` if it already is or cannot be any more. A response
 * after its deadline misses it too.
 */
export function breachDueAtMs(clocks: TransferClocks): number | null {
  const { breachedAtMs, firstResponseAtMs, responseDueAtMs, resolutionDueAtMs } = clocks
  if (breachedAtMs !== null) return null
  const isResponseOpen =
    responseDueAtMs !== null && (firstResponseAtMs === null || firstResponseAtMs > responseDueAtMs)
  return earliest(isResponseOpen ? responseDueAtMs : null, resolutionDueAtMs)
}

/** Returns the earliest deadline of a transfer; `null` if nothing is due, ended or paused. */
export const nextDueAtMs = (clocks: TransferClocks): number | null =>
  clocks.status !== 'active' || clocks.pausedAtMs !== null
    ? null
    : earliest(
        breachDueAtMs(clocks),
        clocks.escalationDueAtMs,
        clocks.expiresAtMs,
        clocks.reminderDueAtMs,
        clocks.agentDueAtMs,
      )

/** Returns the smallest of the given times, or `null` without any. */
export function earliest(...times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** Added to the positions of ended transfers in lists: later than any time of an active one. */
const ENDED_FROM = 8_000_000_000_000_000

/**
 * Returns the position of a transfer in lists, ascending: active ones by age, then ended ones, newest
 * first.
 */
export const sortKeyOf = (row: Pick<TransferRow, 'endedAtMs' | 'transferredAtMs'>): number =>
  row.endedAtMs === null ? row.transferredAtMs : endedSortKey(row.endedAtMs)

/** Returns the position of a transfer that ended at a time. */
const endedSortKey = (endedAtMs: number): number => ENDED_FROM - endedAtMs

/** What a person needs to see a transfer, to read what the customer writes and to answer it. */
const NEEDED = ['contacts:read', 'messages:read', 'messages:create', 'transfers:read']

/** One of these is needed to end a transfer. */
const NEEDED_TO_END = ['transfers:pickup', 'transfers:assign']

/** Whether these permissions let a person work on a transfer from its beginning to its end. */
export const letWork = (permissions: readonly string[]): boolean =>
  NEEDED.every((needed) => permissions.includes(needed)) &&
  NEEDED_TO_END.some((needed) => permissions.includes(needed))

/** A person who can be given a transfer. */
export interface AgentCandidate {
  userId: string
  /** When the team last gave this person a transfer, epoch milliseconds. */
  lastAssignedAtMs: number | null
  /** Number of active transfers, over all teams and of the team alone. */
  active: number
  activeInTeam: number
}

/** Reports whether a person can take another transfer. `null` means any number. */
export const hasCapacity = (
  { active, activeInTeam }: Pick<AgentCandidate, 'active' | 'activeInTeam'>,
  limits: { perAgent: number | null; perAgentInTeam: number | null },
): boolean =>
  (limits.perAgent === null || active < limits.perAgent) &&
  (limits.perAgentInTeam === null || activeInTeam < limits.perAgentInTeam)

const byAssignment = (a: AgentCandidate, b: AgentCandidate): number =>
  (a.lastAssignedAtMs ?? -1) - (b.lastAssignedAtMs ?? -1) || (a.userId < b.userId ? -1 : 1)

/**
 * Returns the candidate whose turn it is: with `round_robin` the one who was given a transfer longest
 * ago, with `load_balanced` the one with the fewest active transfers. `manual` chooses nobody.
 */
export function chooseCandidate(
  strategy: 'round_robin' | 'load_balanced' | 'manual',
  candidates: AgentCandidate[],
): AgentCandidate | null {
  if (strategy === 'manual') return null
  const byLoad = (a: AgentCandidate, b: AgentCandidate): number =>
    a.active - b.active || byAssignment(a, b)
  const [first = null] = candidates.toSorted(strategy === 'round_robin' ? byAssignment : byLoad)
  return first
}

const MAX_NOTES_LENGTH = 4_096

/** Returns the notes of two transfers that become one, as long as notes may be. */
export function joinedNotes(...notes: (string | null)[]): string | null {
  const known = notes.filter((note) => note !== null && note !== '')
  return known.length === 0 ? null : known.join('\n').slice(0, MAX_NOTES_LENGTH).toWellFormed()
}
