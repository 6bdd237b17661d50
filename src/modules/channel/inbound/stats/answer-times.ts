import { eq, sql } from 'drizzle-orm'
import { anyScope, inOrganization } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Db } from '../../../../infra/db/connection'
import type { Tx } from '../../../../infra/db/transact'
import { inboundHourlyStats } from '../table'
import { BOUNDS_MS, type TimeHistogram, addHistograms } from './time-histogram'
import { NOBODY, hourOf } from './hour'

/**
 * Response times collected in memory and written with the next deliveries, because a write per
 * response is expensive. A crash loses some of these figures but no deliveries.
 */
export class AnswerTimes {
  private unsaved = new Map<
    string,
    { organizationId: string; hourMs: number; took: TimeHistogram }
  >()

  /** Counts a response for each organization the delivery concerns. */
  note(organizations: Iterable<string | null>, receivedAtMs: number, tookMs: number): void {
    const bound = String(BOUNDS_MS.find((most) => tookMs <= most) ?? BOUNDS_MS.at(-1))
    for (const organization of organizations) {
      const organizationId = organization ?? NOBODY
      const key = `${organizationId} ${hourOf(receivedAtMs)}`
      const entry = this.unsaved.get(key) ?? {
        organizationId,
        hourMs: hourOf(receivedAtMs),
        took: {},
      }
      entry.took[bound] = (entry.took[bound] ?? 0) + 1
      this.unsaved.set(key, entry)
    }
  }

  /** Counts that are not written yet. */
  get waiting(): Iterable<{ organizationId: string; hourMs: number; took: TimeHistogram }> {
    return this.unsaved.values()
  }

  /** Writes the collected counts, in the caller's transaction. Call `forget` after the commit. */
  saveIn(tx: Tx, db: Db): void {
    for (const at of this.unsaved.values()) addTimesIn(tx, db, at)
  }

  /** Clears the written counts. */
  forget(): void {
    this.unsaved = new Map()
  }
}

const timesOf = compiled((orm) =>
  orm
    .select({ acknowledgements: inboundHourlyStats.acknowledgements })
    .from(inboundHourlyStats)
    .where(
      inOrganization(
        anyScope,
        inboundHourlyStats,
        eq(inboundHourlyStats.hourMs, place(inboundHourlyStats.hourMs, 'hourMs')),
      ),
    )
    .prepare(),
)

const writeTimes = compiled((orm) =>
  orm
    .insert(inboundHourlyStats)
    .values({
      organizationId: sql.placeholder('organizationId'),
      hourMs: sql.placeholder('hourMs'),
      acknowledgements: sql.placeholder('acknowledgements'),
    })
    .onConflictDoUpdate({
      target: [inboundHourlyStats.organizationId, inboundHourlyStats.hourMs],
      set: { acknowledgements: sql`excluded.acknowledgements` },
      setWhere: eq(inboundHourlyStats.organizationId, sql`excluded.organization_id`),
    })
    .prepare(),
)

function addTimesIn(
  tx: Tx,
  db: Db,
  at: { organizationId: string; hourMs: number; took: TimeHistogram },
): void {
  void tx // one connection: the compiled statements run inside the transaction that `tx` proves to be open
  const known = timesOf(db).get(at)
  const sum = addHistograms(
    known ? (JSON.parse(known.acknowledgements) as TimeHistogram) : {},
    at.took,
  )
  writeTimes(db).run({ ...at, acknowledgements: JSON.stringify(sum) })
}
