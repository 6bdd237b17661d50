import { and, eq, gt, inArray, lt, notInArray, or, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import {
  acrossOrganizations,
  inOrganization,
  systemCtx,
  type Ctx,
  type Deps,
} from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { uuidValue } from '../../../infra/db/uuid'
import {
  limitsInEffect,
  organizationsWithRetention,
  retentionRow,
} from '../../organizations/retention/service'
import { retentionSettings } from '../../organizations/retention/table'
import { inboundBodies, inboundEvents } from '../table'

const BATCH = 200

/** Changes deleted in one transaction with their bodies. The last body may exceed it. */
const MAX_CHANGES = 200

/** The last delivery a pruning looked at, oldest first. */
export interface JournalPosition {
  receivedAtMs: number
  id: string
}

/**
 * Returns which of these deliveries stay: those with unprocessed changes, and those that an
 * organization keeps longer than the installation does.
 */
const keptOf = (tx: Tx, { clock, settings }: Deps, ids: string[]): Set<string> =>
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
 * Keeps deliveries with unprocessed changes. Returns the position to continue from, or `null` when
 * no older delivery is left.
 */
export function pruneJournal(deps: Deps, after: JournalPosition | null): JournalPosition | null {
  const { receivedAtMs, id } = inboundBodies
  const isOld = lt(receivedAtMs, deps.clock.nowMs() - deps.settings.journalDays * DAY_MS)
  const beyond =
    after === null
      ? undefined
      : sql`(${receivedAtMs}, ${id}) > (${after.receivedAtMs}, ${uuidValue(after.id)})`
  return transact(deps.db, (tx) => {
    const old = tx
      .select({ receivedAtMs, id })
      .from(inboundBodies)
      .where(and(isOld, beyond))
      .orderBy(receivedAtMs, id)
      .limit(BATCH)
      .all()
    if (old.length === 0) return null
    const kept = keptOf(
      tx,
      deps,
      old.map((body) => body.id),
    )
    let [changes, last]: [number, JournalPosition | null] = [0, null]
    for (const body of old) {
      if (changes >= MAX_CHANGES) break
      if (!kept.has(body.id)) changes += deleteDeliveryIn(tx, body.id)
      last = body
    }
    return last
  })
}

/** Deletes a delivery with its changes. Returns the number of changes. */
function deleteDeliveryIn(tx: Tx, bodyId: string): number {
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
