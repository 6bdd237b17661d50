import { and, eq, gt, inArray, lt, not, notInArray, or, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import {
  acrossOrganizations,
  inOrganization,
  systemCtx,
  type Ctx,
  type Deps,
} from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { worksHere } from '../../../../infra/working-organizations'
import {
  limitsInEffect,
  organizationsWithRetention,
  retentionRow,
} from '../../../organization/organizations/retention/service'
import { retentionSettings } from '../../../organization/organizations/retention/table'
import { inboundBodies, inboundEvents } from '../table'

const BATCH = 200

/** Changes deleted in one transaction with their bodies. The last body may exceed it. */
const MAX_CHANGES = 200

/** A delivery from so far in the future came while the clock was wrong. */
const CLOCK_AHEAD_MS = DAY_MS

/**
 * Returns which of these deliveries stay: those with unprocessed changes, those that an organization
 * keeps longer than the installation does or by a legal hold, and those of an organization that
 * arrives or leaves.
 */
const keptOf = (tx: Tx, { clock, settings }: Deps, ids: number[]): Set<number> =>
  new Set(
    tx
      .selectDistinct({ bodyId: inboundEvents.bodyId })
      .from(inboundEvents)
      .leftJoin(
        retentionSettings,
        eq(retentionSettings.organizationId, inboundEvents.organizationId),
      )
      .where(
        acrossOrganizations(
          'one delivery may hold changes of several organizations',
          and(
            inArray(inboundEvents.bodyId, ids),
            or(
              inArray(inboundEvents.state, ['pending', 'processing']),
              not(worksHere(inboundEvents.organizationId)),
              eq(retentionSettings.isLegalHold, true),
              and(
                gt(retentionSettings.journalDays, settings.journalDays),
                sql`${inboundEvents.receivedAtMs} >= ${clock.nowMs()} - ${retentionSettings.journalDays} * ${DAY_MS}`,
              ),
            ),
          ),
        ),
      )
      .all()
      .map(({ bodyId }) => bodyId),
  )

/**
 * Deletes a batch of changes for organizations with a shorter retention than the installation, and
 * deliveries without remaining changes. Returns the number of deleted changes.
 */
export function pruneShorterJournal(deps: Deps): number {
  const nowMs = deps.clock.nowMs()
  for (const organizationId of organizationsWithRetention(deps)) {
    const row = retentionRow(deps, organizationId)
    const days = limitsInEffect(row, { nowMs, journalDays: deps.settings.journalDays }).journal_days
    if (row.isLegalHold || days >= deps.settings.journalDays) continue
    const gone = transact(deps.db, (tx) =>
      forgetChangesIn(tx, systemCtx(deps, organizationId), nowMs - days * DAY_MS),
    )
    if (gone > 0) return gone
  }
  return 0
}

function forgetChangesIn(tx: Tx, ctx: Ctx, beforeMs: number): number {
  const isOver = and(
    lt(inboundEvents.receivedAtMs, beforeMs),
    notInArray(inboundEvents.state, ['pending', 'processing']),
  )
  const old = tx
    .select({ id: inboundEvents.id, bodyId: inboundEvents.bodyId })
    .from(inboundEvents)
    .where(inOrganization(ctx, inboundEvents, isOver))
    .limit(BATCH)
    .all()
  if (old.length === 0) return 0
  tx.delete(inboundEvents)
    .where(
      inOrganization(
        ctx,
        inboundEvents,
        inArray(
          inboundEvents.id,
          old.map(({ id }) => id),
        ),
      ),
    )
    .run()
  for (const bodyId of new Set(old.map((row) => row.bodyId))) {
    const isUsed =
      tx
        .select({ id: inboundEvents.id })
        .from(inboundEvents)
        .where(
          acrossOrganizations(
            'one delivery may hold changes of several organizations',
            eq(inboundEvents.bodyId, bodyId),
          ),
        )
        .get() !== undefined
    if (!isUsed) tx.delete(inboundBodies).where(eq(inboundBodies.id, bodyId)).run()
  }
  return old.length
}

/**
 * Looks at the next deliveries older than `JOURNAL_DAYS` and deletes them with their changes.
 * Keeps deliveries with unprocessed changes and those on legal hold. Deliveries are numbered as they arrive, so the first
 * young one ends the search, unless it came while the clock was days ahead. Returns the number of
 * the last one it looked at, from which to continue, or `null` when no older delivery is left.
 */
export function pruneJournal(deps: Deps, after: number | null): number | null {
  const { receivedAtMs, id } = inboundBodies
  const nowMs = deps.clock.nowMs()
  const beforeMs = nowMs - deps.settings.journalDays * DAY_MS
  return transact(deps.db, (tx) => {
    const oldest = tx
      .select({ receivedAtMs, id })
      .from(inboundBodies)
      .where(gt(id, after ?? 0))
      .orderBy(id)
      .limit(BATCH)
      .all()
    const isOld = (body: { receivedAtMs: number }): boolean => body.receivedAtMs < beforeMs
    const young = oldest.findIndex(
      (body) => !isOld(body) && body.receivedAtMs < nowMs + CLOCK_AHEAD_MS,
    )
    const looked = young < 0 ? oldest : oldest.slice(0, young)
    const old = looked.filter(isOld).map((body) => body.id)
    const deletable = new Set(old).difference(old.length === 0 ? new Set() : keptOf(tx, deps, old))
    let [changes, last]: [number, number | null] = [0, null]
    for (const body of looked) {
      if (changes >= MAX_CHANGES) break
      if (deletable.has(body.id)) changes += deleteDeliveryIn(tx, body.id)
      last = body.id
    }
    return last
  })
}

/** Deletes a delivery with its changes. Returns the number of changes. */
function deleteDeliveryIn(tx: Tx, bodyId: number): number {
  const changes = tx
    .delete(inboundEvents)
    .where(
      acrossOrganizations(
        'one delivery may hold changes of several organizations',
        eq(inboundEvents.bodyId, bodyId),
      ),
    )
    .returning({ id: inboundEvents.id })
    .all().length
  tx.delete(inboundBodies).where(eq(inboundBodies.id, bodyId)).run()
  return changes
}
