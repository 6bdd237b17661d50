import type { Deps } from '../ctx'
import type { Bounds, JobRow } from './claim'
import type { Gate, Lane } from './define'

/** Sends of one organization that wait for the platform at once, per worker and at most. */
const SENDS_PER_WORKER = 16
const MOST_SENDS = 64

/** So many organizations can have all their sends under way before another one waits for a free slot. */
const ORGANIZATIONS_AT_ONCE = 16

/** Of an organization's sends one gate gets no more than this part: a number that does not answer leaves room for the others. */
const SHARE_OF_A_GATE = 0.75

/** Jobs of the database alone are done so many at a time in one transaction. */
const BATCH = 64

/** How many jobs of the lane run at once. */
export function widthOf(lane: Lane, workers: number): number {
  if (lane === 'send') return sendsAtOnce(workers) * ORGANIZATIONS_AT_ONCE
  if (lane === 'default' || lane === 'media') return workers
  return BATCH
}

const sendsAtOnce = (workers: number): number => Math.min(MOST_SENDS, workers * SENDS_PER_WORKER)

/** What bounds the next claim of a lane, and when a gate that is shut now may open. */
export interface LaneBounds extends Bounds {
  nextAtMs: () => number
}

/** What bounds the next claim of a lane, by what runs in it and how far its gate stands open. */
export function boundsOf(deps: Deps, at: { lane: Lane; gate: Gate | undefined; running: JobRow[] }): LaneBounds {
  const { lane, gate, running } = at
  const most = lane === 'send' ? sendsAtOnce(deps.settings.workers) : Infinity
  let nextAtMs = Infinity
  return {
    nextAtMs: () => nextAtMs,
    roomOf: (organizationId) => most - running.filter((row) => row.organizationId === organizationId).length,
    roomAt(organizationId, gateKey, gates) {
      const opening = gate && gateKey !== '' ? gate.look(deps, { organizationId, gateKey }) : null
      if (opening && opening.room <= 0 && opening.nextAtMs !== null) nextAtMs = Math.min(nextAtMs, opening.nextAtMs)
      if (most === Infinity) return opening?.room ?? Infinity
      const busy = running.filter((row) => row.organizationId === organizationId && row.gateKey === gateKey).length
      const share = Math.max(1, Math.floor(Math.min(most * SHARE_OF_A_GATE, most / gates)))
      return Math.min(share - busy, opening?.room ?? Infinity)
    },
  }
}
