import type { Deps } from '../ctx'
import type { ClaimLimits } from './eligible-organizations'
import type { Queue } from './job'
import type { JobRow } from './table'
import type { Gate } from './work'

/** Concurrent sends of one organization, per worker and at most. */
const SENDS_PER_WORKER = 16
const MAX_SENDS = 64

/** How many organizations can use all their sends before another one waits for a free slot. */
const ORGANIZATIONS_AT_ONCE = 16

/**
 * Share of an organization's sends that one gate may use. An unresponsive phone number leaves room
 * for the others.
 */
const GATE_SHARE = 0.75

/** Organizations that can use all their slots at once in the other async queues. */
const OTHERS_AT_ONCE = 4

/** Concurrent calls to AI providers of one organization and of all (`automation` 6.6). */
const AI_CALLS = 8
const ALL_AI_CALLS = 64

/** Concurrent requests to other cells. */
const CELL_REQUESTS = 16

/** Concurrent requests to the endpoints of one organization and of all (`webhooks-out` 4.5a). */
const WEBHOOKS = 64
const ALL_WEBHOOKS = 200

/**
 * Transactional jobs per transaction. Other organizations wait for them, and larger batches are
 * hardly faster.
 */
const BATCH = 24

/**
 * Time limit of the transactional jobs of a queue per step, milliseconds. Queues run one after the
 * other, so a step takes at most the sum of the limits.
 */
const TIME_LIMITS_MS: Record<Queue, number> = {
  inbound: 10,
  'inbound-status': 5,
  'inbound-account': 3,
  send: 3,
  ai: 3,
  documents: 3,
  webhooks: 3,
  cells: 3,
  default: 5,
  media: 3,
}

/** Returns the time limit of a queue's transactional jobs per step, milliseconds. */
export const timeLimitOf = (queue: Queue): number => TIME_LIMITS_MS[queue]

/** Requests to endpoints that begin in one step: each takes up to half a millisecond. */
const WEBHOOKS_A_STEP = 32

/** Returns how many jobs of a queue begin in one step; the others begin after other work. */
export const begunAtOnce = (queue: Queue): number =>
  queue === 'webhooks' ? WEBHOOKS_A_STEP : Infinity

/** Returns how many jobs of a queue run at once, across all organizations. */
export function widthOf(queue: Queue, workers: number): number {
  if (queue === 'send') return sendsAtOnce(workers) * ORGANIZATIONS_AT_ONCE
  if (queue === 'default' || queue === 'media') return workers * OTHERS_AT_ONCE
  if (queue === 'ai') return ALL_AI_CALLS
  if (queue === 'webhooks') return ALL_WEBHOOKS
  if (queue === 'cells') return CELL_REQUESTS
  if (queue === 'documents') return 1 // each may take 256 MB
  return BATCH
}

/** Returns how many of them one organization may use, so that others always find a free slot. */
function shareOf(queue: Queue, workers: number): number {
  if (queue === 'send') return sendsAtOnce(workers)
  if (queue === 'ai') return AI_CALLS
  if (queue === 'webhooks') return WEBHOOKS
  return queue === 'default' || queue === 'media' ? workers : Infinity
}

const sendsAtOnce = (workers: number): number => Math.min(MAX_SENDS, workers * SENDS_PER_WORKER)

/** Limits of the next claim of a queue, and when a closed gate may open. */
export interface QueueLimits extends ClaimLimits {
  nextAtMs: () => number
}

/** Returns the limits of the next claim of a queue, given its running jobs and its gate. */
export function limitsOf(
  deps: Deps,
  at: {
    queue: Queue
    gate: Gate | undefined
    running: JobRow[]
    /** Whether the jobs of an organization wait. */
    isHeld: (organizationId: string) => boolean
  },
): QueueLimits {
  const { queue, gate, running, isHeld } = at
  const most = shareOf(queue, deps.settings.workers)
  let nextAtMs = Infinity
  return {
    nextAtMs: () => nextAtMs,
    ofOrganization: (organizationId) =>
      isHeld(organizationId)
        ? 0
        : most - running.filter((row) => row.organizationId === organizationId).length,
    ofGate(organizationId, gateKey, gates) {
      const state = gate && gateKey !== '' ? gate.check(deps, { organizationId, gateKey }) : null
      if (state && state.room <= 0 && state.nextAtMs !== null)
        nextAtMs = Math.min(nextAtMs, state.nextAtMs)
      if (queue !== 'send' && queue !== 'webhooks') return state?.room ?? Infinity
      const busy = running.filter(
        (row) => row.organizationId === organizationId && row.gateKey === gateKey,
      ).length
      // The gate of an endpoint counts the requests that may run at once.
      if (queue === 'webhooks') return (state?.room ?? Infinity) - busy
      const share = Math.max(1, Math.floor(Math.min(most * GATE_SHARE, most / gates)))
      return Math.min(share - busy, state?.room ?? Infinity)
    },
  }
}

/** Factor by which a batch may exceed its limit in wall time when other programs use the CPU. */
const MAX_WALL_FACTOR = 4

/**
 * Returns a function that reports whether a batch starting now has used up its time. It counts CPU
 * time, because smaller batches would waste CPU on a busy machine, up to four times the limit in
 * wall time.
 */
export function timeIsOver(maxMs: number): () => boolean {
  const startedMs = performance.now()
  const before = process.cpuUsage()
  return () => {
    const tookMs = performance.now() - startedMs
    if (tookMs <= maxMs) return false
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 > maxMs || tookMs > maxMs * MAX_WALL_FACTOR
  }
}

/**
 * Batches get shorter while requests are served, in proportion to the time requests took, down to
 * `MIN_SHARE`. Less than `NEGLIGIBLE_MS` between two steps is ignored.
 */
const MIN_SHARE = 1 / 3
const WHOLE_SHARE_MS = 30
const NEGLIGIBLE_MS = 2

/**
 * Returns the share of its time limit that a batch gets when other work used the event loop for
 * `othersMs` since the last one. Without recent requests it gets all of it, because then the
 * process slept or other programs ran.
 */
export const shareAfter = ({ eventLoop }: Pick<Deps, 'eventLoop'>, othersMs: number): number =>
  othersMs < NEGLIGIBLE_MS || !eventLoop.isServerBusy
    ? 1
    : Math.min(1, Math.max(MIN_SHARE, othersMs / WHOLE_SHARE_MS))
