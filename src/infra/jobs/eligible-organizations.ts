import { and, eq, gt, sql } from 'drizzle-orm'

import { compiled, atMost, place } from '../db/compiled'
import type { Db } from '../db/connection'
import type { Queue } from './job'
import { jobs } from './table'

/**
 * Organizations served in one claim, and organizations examined for it. Organizations whose gates
 * are all closed are skipped.
 */
const MAX_ORGANIZATIONS = 64
const MAX_EXAMINED = 1_024

/** Gate keys of one organization that one claim examines. */
const MAX_KEYS = 256

/** The next organization after `after` with jobs in a queue that may start. */
export const nextOrganization = compiled((orm) =>
  orm
    .select({ organizationId: jobs.organizationId })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, place(jobs.queue, 'queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
        gt(jobs.organizationId, place(jobs.organizationId, 'after')),
      ),
    )
    .orderBy(jobs.queue, jobs.organizationId)
    .limit(atMost(1))
    .prepare(),
)

const firstGateKey = compiled((orm) =>
  orm
    .select({ gateKey: jobs.gateKey })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, place(jobs.queue, 'queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
        eq(jobs.organizationId, place(jobs.organizationId, 'organizationId')),
      ),
    )
    .orderBy(jobs.queue, jobs.organizationId, jobs.gateKey)
    .limit(atMost(1))
    .prepare(),
)

const nextGateKey = compiled((orm) =>
  orm
    .select({ gateKey: jobs.gateKey })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, place(jobs.queue, 'queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
        eq(jobs.organizationId, place(jobs.organizationId, 'organizationId')),
        gt(jobs.gateKey, place(jobs.gateKey, 'after')),
      ),
    )
    .orderBy(jobs.queue, jobs.organizationId, jobs.gateKey)
    .limit(atMost(1))
    .prepare(),
)

/** Limits of a claim in addition to the free slots of the queue. */
export interface ClaimLimits {
  /** How many more jobs of an organization may start. */
  ofOrganization: (organizationId: string) => number
  /**
   * How many more jobs of a gate may start, given the number of the organization's gates with work.
   */
  ofGate: (organizationId: string, gateKey: string, gates: number) => number
}

/** An organization with jobs that may start: how many, and through which gates. */
export interface EligibleOrganization {
  organizationId: string
  limit: number
  gates: { key: string; limit: number }[]
}

/** Keys of the organization's gates with available jobs. */
function gateKeysOf(db: Db, queue: Queue, organizationId: string): string[] {
  const keys: string[] = []
  for (
    let next = firstGateKey(db).get({ queue, organizationId });
    next && keys.length < MAX_KEYS;
  ) {
    keys.push(next.gateKey)
    next = nextGateKey(db).get({ queue, organizationId, after: next.gateKey })
  }
  return keys
}

function checkOrganization(
  db: Db,
  queue: Queue,
  organizationId: string,
  limits: ClaimLimits,
): EligibleOrganization | null {
  const limit = limits.ofOrganization(organizationId)
  if (limit <= 0) return null
  const keys = gateKeysOf(db, queue, organizationId)
  const gates = keys
    .map((key) => ({ key, limit: limits.ofGate(organizationId, key, keys.length) }))
    .filter((gate) => gate.limit > 0)
  return gates.length === 0 ? null : { organizationId, limit, gates }
}

/** The organizations to serve. */
export interface EligibleOrganizations {
  organizations: EligibleOrganization[]
  /** The organization examined last if the search reached its limit, else `null`. */
  cutAt: string | null
  /** Whether the search ended before the last organization, so some were not examined. */
  isPartial: boolean
}

/**
 * Finds up to `MAX_ORGANIZATIONS` organizations with jobs that may start, in rotation: those after
 * `after` first.
 */
export function findEligibleOrganizations(
  db: Db,
  queue: Queue,
  at: { after: string; limits: ClaimLimits },
): EligibleOrganizations {
  const { after, limits } = at
  const organizations: EligibleOrganization[] = []
  let examined = 0
  let last = after
  const isFull = (): boolean =>
    organizations.length >= MAX_ORGANIZATIONS || examined >= MAX_EXAMINED
  const collect = (until: string | null): boolean => {
    while (!isFull()) {
      const next = nextOrganization(db).get({ queue, after: last })
      if (!next || (until !== null && next.organizationId > until)) return true
      last = next.organizationId
      examined += 1
      const eligible = checkOrganization(db, queue, last, limits)
      if (eligible) organizations.push(eligible)
    }
    return false
  }
  const hasSeenLast = collect(null)
  if (hasSeenLast && after !== '') {
    last = ''
    collect(after)
  }
  return {
    organizations,
    cutAt: examined < MAX_EXAMINED ? null : last,
    isPartial: !hasSeenLast && examined >= MAX_EXAMINED,
  }
}
