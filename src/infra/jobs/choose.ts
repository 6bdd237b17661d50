import { and, eq, sql } from 'drizzle-orm'

import { MINUTE_MS } from '../../lib/clock'
import type { Deps } from '../ctx'
import { compiled, atMost, place } from '../db/compiled'
import type { Db } from '../db/connection'
import {
  findEligibleOrganizations,
  type ClaimLimits,
  type EligibleOrganization,
} from './eligible-organizations'
import type { Queue } from './job'
import { jobs } from './table'

/**
 * How long a job that waits for a retry blocks later jobs with its ordering key, milliseconds.
 * Deliveries of webhooks promise their order for longer (webhooks-out 4.6).
 */
export const retryBlocksMs = (queue: Queue): number =>
  queue === 'webhooks' ? 30 * MINUTE_MS : MINUTE_MS

/**
 * Whether a job must wait for another one with its ordering key: one that is running, or an earlier
 * one that is not blocked itself. IDs go back when the clock does, and two jobs blocking each other
 * would wait forever. Columns are written out because Drizzle omits the table name in single-table
 * queries, and inside the subquery they would refer to `other`.
 */
export const isBlocked = sql<number>`jobs.ordering_key is not null and (
  exists (select 1 from jobs other where other.ordering_key = jobs.ordering_key and other.ordering_key is not null
    and other.gate_key = jobs.gate_key and other.state = 'executing')
  or exists (select 1 from jobs other where other.ordering_key = jobs.ordering_key and other.ordering_key is not null
    and other.gate_key = jobs.gate_key and other.id < jobs.id
    and other.state in ('scheduled', 'available', 'executing', 'retryable') and other.state = 'available' and other.is_blocked = 0))`

/** Whether an earlier job with the ordering key is retried soon: it failed only a while ago. */
export const awaitsRetry = sql<number>`jobs.ordering_key is not null and exists (
  select 1 from jobs other where other.ordering_key = jobs.ordering_key and other.ordering_key is not null
    and other.gate_key = jobs.gate_key and other.id < jobs.id
    and other.state in ('scheduled', 'available', 'executing', 'retryable')
    and other.first_attempted_at_ms > ${place(jobs.firstAttemptedAtMs, 'retriesSinceMs')} and other.first_attempted_at_ms <= ${place(jobs.firstAttemptedAtMs, 'nowMs')})`

/**
 * The next available jobs of a gate after a position, each with what holds it back: `isBlocked` for
 * another job of its ordering key, `awaitsRetry` for an earlier one that is retried soon.
 */
const candidates = compiled((orm) =>
  orm
    .select({
      id: jobs.id,
      kind: jobs.kind,
      priority: jobs.priority,
      isBlocked,
      awaitsRetry,
    })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, place(jobs.queue, 'queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
        eq(jobs.organizationId, place(jobs.organizationId, 'organizationId')),
        eq(jobs.gateKey, place(jobs.gateKey, 'gateKey')),
        sql`(${jobs.priority}, ${jobs.id}) > (${place(jobs.priority, 'afterPriority')}, ${place(jobs.id, 'afterId')})`,
      ),
    )
    .orderBy(jobs.priority, jobs.id)
    .limit(atMost('limit'))
    .prepare(),
)

const UNLIMITED: ClaimLimits = { ofOrganization: () => Infinity, ofGate: () => Infinity }

/** The jobs to start next. */
export interface JobChoice {
  /** Job IDs in start order: organizations with few jobs first. */
  ids: string[]
  /** The names of these jobs, each once. */
  kinds: ReadonlySet<string>
  /**
   * Jobs that wait for another one of their ordering key. They are not examined again until that
   * one has moved.
   */
  blocked: string[]
  /** Of them, those behind a job that first failed after this time wait for its retry. */
  retriesSinceMs: number
  /** The organization served last; the next claim continues after it. */
  after: string
  /** Whether to choose again immediately, because only some of the waiting jobs were examined. */
  isPartial: boolean
}

/** Free slots, the organization served last, and the limits of gates and organizations. */
export interface ChoiceOptions {
  slots: number
  after: string
  limits?: ClaimLimits
}

/**
 * Chooses up to `slots` available jobs of a queue. Organizations take turns, the gates of one
 * organization share evenly, and behind each gate priority and age decide.
 */
export function chooseJobs(
  deps: Pick<Deps, 'db' | 'clock'>,
  queue: Queue,
  at: ChoiceOptions,
): JobChoice {
  const { organizations, cutAt, isPartial } = findEligibleOrganizations(deps.db, queue, {
    after: at.after,
    limits: at.limits ?? UNLIMITED,
  })
  const search = new Search(deps.db, queue, deps.clock.nowMs())
  const share = Math.max(1, Math.floor(at.slots / Math.max(1, organizations.length)))
  const chosen: string[][] = []
  let left = at.slots
  let after = at.after
  for (const organization of organizations) {
    const limit = Math.min(share, left, organization.limit)
    if (limit <= 0) break
    const ids = search.inOrganization(organization, limit)
    chosen.push(ids)
    left -= ids.length
    after = organization.organizationId
  }
  // Closed gates of more organizations than one claim examines must not keep later organizations
  // from their turn.
  if (cutAt !== null && chosen.length === organizations.length) after = cutAt
  const ids = chosen.toSorted((a, b) => a.length - b.length).flat()
  const { blocked, kinds, retriesSinceMs } = search
  return { ids, kinds, blocked, retriesSinceMs, after, isPartial: isPartial || search.isPartial }
}

/**
 * Whether jobs that wait for the retry of an earlier one are not examined again until that one has
 * moved or `unblockNextIn` was called. Otherwise many of them would hide later jobs of the gate.
 */
const marksAwaiting = (queue: Queue): boolean => queue === 'webhooks'

/** Jobs per query, and queries per gate in one claim. */
const PAGE_SIZE = 64
const MAX_PAGES = 8

/**
 * The search for the jobs of one choice. Besides the jobs it returns, it collects the blocked jobs
 * it met, and whether it stopped early.
 */
class Search {
  readonly blocked: string[] = []
  readonly kinds = new Set<string>()
  readonly retriesSinceMs: number
  isPartial = false

  constructor(
    private readonly db: Db,
    private readonly queue: Queue,
    private readonly nowMs: number,
  ) {
    this.retriesSinceMs = nowMs - retryBlocksMs(queue)
  }

  /**
   * Returns the next jobs of one organization. Each gate gets an even share of the remaining slots,
   * and the first gate rotates.
   */
  inOrganization({ organizationId, gates }: EligibleOrganization, limit: number): string[] {
    const first = gates.length === 1 ? 0 : this.nowMs % gates.length
    const ids: string[] = []
    for (const [index, gate] of [...gates.slice(first), ...gates.slice(0, first)].entries()) {
      const share = Math.ceil((limit - ids.length) / (gates.length - index))
      const ofGate = Math.min(gate.limit, share)
      if (ofGate <= 0) break
      ids.push(...this.atGate({ organizationId, gateKey: gate.key, limit: ofGate }))
    }
    return ids
  }

  private atGate(gate: { organizationId: string; gateKey: string; limit: number }): string[] {
    const ids: string[] = []
    let after = { afterPriority: 0, afterId: '' }
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const limit = page === 0 ? gate.limit : PAGE_SIZE
      const found = this.candidates({ ...gate, ...after, limit })
      for (const candidate of found) {
        if (candidate.isBlocked || (candidate.awaitsRetry && marksAwaiting(this.queue)))
          this.blocked.push(candidate.id)
        else if (!candidate.awaitsRetry && ids.length < gate.limit) {
          ids.push(candidate.id)
          this.kinds.add(candidate.kind)
        }
      }
      const last = found.at(-1)
      if (ids.length >= gate.limit || !last || found.length < limit) return ids
      after = { afterPriority: last.priority, afterId: last.id }
    }
    this.isPartial = true
    return ids
  }

  private candidates(at: {
    organizationId: string
    gateKey: string
    afterPriority: number
    afterId: string
    limit: number
  }) {
    const { queue, nowMs } = this
    return candidates(this.db).all({
      queue,
      ...at,
      retriesSinceMs: this.retriesSinceMs,
      nowMs,
    })
  }
}
