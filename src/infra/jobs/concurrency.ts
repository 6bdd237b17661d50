import type { Deps } from '../ctx'
import type { Bounds, JobRow } from './claim'
import type { Queue } from './job'
import type { Gate } from './work'

/** Sends of one organization that wait for the platform at once, per worker and at most. */
const SENDS_PER_WORKER = 16
const MAX_SENDS = 64

/**
 * So many organizations can have all their sends under way before another one waits for a free
 * slot.
 */
const ORGANIZATIONS_AT_ONCE = 16

/**
 * Of an organization's sends one gate gets no more than this part: a number that does not answer
 * leaves room for the others.
 */
const SHARE_OF_A_GATE = 0.75

/** The same for the other queues whose jobs wait for something outside. */
const OTHERS_AT_ONCE = 4

/**
 * Jobs of the database alone are done so many at a time in one transaction: another organization's
 * waits for them, and more would hardly be quicker.
 */
const BATCH = 24

/**
 * What a queue weighs: how long its jobs of the database alone may take of one turn, milliseconds.
 * The queues come one after the other, so while all of them have work, each gets its part of the
 * whole, and nobody waits longer for a turn than their sum.
 */
const WEIGHTS: Record<Queue, number> = {
  inbound: 10,
  'inbound-status': 5,
  'inbound-account': 3,
  send: 3,
  default: 5,
  media: 3,
}

/** How long jobs of the database alone may take in one turn of the queue, milliseconds. */
export const weightOf = (queue: Queue): number => WEIGHTS[queue]

/** How many jobs of the queue run at once, of all organizations. */
export function widthOf(queue: Queue, workers: number): number {
  if (queue === 'send') return sendsAtOnce(workers) * ORGANIZATIONS_AT_ONCE
  if (queue === 'default' || queue === 'media') return workers * OTHERS_AT_ONCE
  return BATCH
}

/**
 * How many of them one organization gets at most: the others find a free place, however much it has
 * to do.
 */
function shareOf(queue: Queue, workers: number): number {
  if (queue === 'send') return sendsAtOnce(workers)
  return queue === 'default' || queue === 'media' ? workers : Infinity
}

const sendsAtOnce = (workers: number): number => Math.min(MAX_SENDS, workers * SENDS_PER_WORKER)

/** What bounds the next claim of a queue, and when a gate that is shut now may open. */
export interface QueueBounds extends Bounds {
  nextAtMs: () => number
}

/** What bounds the next claim of a queue, by what runs in it and how far its gate stands open. */
export function boundsOf(
  deps: Deps,
  at: { queue: Queue; gate: Gate | undefined; running: JobRow[] },
): QueueBounds {
  const { queue, gate, running } = at
  const most = shareOf(queue, deps.settings.workers)
  let nextAtMs = Infinity
  return {
    nextAtMs: () => nextAtMs,
    roomOf: (organizationId) =>
      most - running.filter((row) => row.organizationId === organizationId).length,
    roomAt(organizationId, gateKey, gates) {
      const opening = gate && gateKey !== '' ? gate.look(deps, { organizationId, gateKey }) : null
      if (opening && opening.room <= 0 && opening.nextAtMs !== null)
        nextAtMs = Math.min(nextAtMs, opening.nextAtMs)
      if (queue !== 'send') return opening?.room ?? Infinity
      const busy = running.filter(
        (row) => row.organizationId === organizationId && row.gateKey === gateKey,
      ).length
      const share = Math.max(1, Math.floor(Math.min(most * SHARE_OF_A_GATE, most / gates)))
      return Math.min(share - busy, opening?.room ?? Infinity)
    },
  }
}

/**
 * A batch of which the machine's other programs take the time goes on up to so many times as long.
 */
const PATIENCE = 4

/**
 * Tells when a batch that begins now has had its time: its own, for on a machine that is busy
 * otherwise smaller batches would only cost more of what is scarce, but nobody waits for several
 * times as long.
 */
export function timeIsOver(longestMs: number): () => boolean {
  const startedMs = performance.now()
  const before = process.cpuUsage()
  return () => {
    const tookMs = performance.now() - startedMs
    if (tookMs <= longestMs) return false
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 > longestMs || tookMs > longestMs * PATIENCE
  }
}

/**
 * While others have work too a batch is shorter, in the measure of how long theirs took, down to
 * this part: requests that wait come first. What they did between two turns in less than
 * `HARDLY_ANYTHING_MS` is not worth making room for.
 */
const MIN_SHARE = 1 / 3
const WHOLE_SHARE_MS = 30
const HARDLY_ANYTHING_MS = 2

/**
 * Which part of its time a batch gets when others had the event loop for so long since the last
 * one: all of it where nobody has asked for anything lately, for then the time went to sleeping, or
 * to other programs.
 */
export const shareAfter = ({ eventLoop }: Pick<Deps, 'eventLoop'>, othersMs: number): number =>
  othersMs < HARDLY_ANYTHING_MS || !eventLoop.isServerBusy
    ? 1
    : Math.min(1, Math.max(MIN_SHARE, othersMs / WHOLE_SHARE_MS))
