import { and, eq, gt, inArray, lt, notInArray, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import {
  acrossOrganizations,
  inOrganization,
  systemCtx,
  type Ctx,
  type Deps,
} from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import {
  countingLimits,
  organizationsWithRetention,
  retentionRow,
} from '../../organizations/retention/service'
import { retentionSettings } from '../../organizations/retention/table'
import { inboundBodies, inboundEvents } from '../table'

const BATCH = 200

/** Changes deleted in one transaction with their bodies, those of one body more at most. */
const MAX_CHANGES = 200

/** The deliveries that an organization keeps longer than the installation does. */
const keptLonger = (tx: Tx, { clock, settings }: Deps) =>
  tx
    .select({ bodyId: inboundEvents.bodyId })
    .from(inboundEvents)
    .innerJoin(
      retentionSettings,
      eq(retentionSettings.organizationId, inboundEvents.organizationId),
    )
    .where(
      acrossOrganizations(
        'one delivery may hold changes of several organizations',
        and(
          gt(retentionSettings.journalDays, settings.journalDays),
          sql`${inboundEvents.receivedAtMs} >= ${clock.nowMs()} - ${retentionSettings.journalDays} * ${DAY_MS}`,
        ),
      ),
    )

/**
 * Deletes a batch of what an organization wants to be kept for a shorter time than the installation
 * keeps it: its changes, and deliveries of which nothing is left. Returns how many changes went.
 */
export function pruneShorterJournal(deps: Deps): number {
  const nowMs = deps.clock.nowMs()
  for (const organizationId of organizationsWithRetention(deps)) {
    const row = retentionRow(deps, organizationId)
    const days = countingLimits(row, { nowMs, journalDays: deps.settings.journalDays }).journal_days
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
 * Deletes a batch of deliveries older than the journal keeps them (JOURNAL_DAYS) with their
 * changes; those still to be worked off stay. Returns how many went.
 */
export function pruneJournal(deps: Deps): number {
  return transact(deps.db, (tx) => {
    const unfinished = tx
      .select({ bodyId: inboundEvents.bodyId })
      .from(inboundEvents)
      .where(
        acrossOrganizations(
          'one delivery may hold changes of several organizations',
          inArray(inboundEvents.state, ['pending', 'processing']),
        ),
      )
    const old = tx
      .select({ id: inboundBodies.id })
      .from(inboundBodies)
      .where(
        and(
          lt(inboundBodies.receivedAtMs, deps.clock.nowMs() - deps.settings.journalDays * DAY_MS),
          notInArray(inboundBodies.id, unfinished),
          notInArray(inboundBodies.id, keptLonger(tx, deps)),
        ),
      )
      .orderBy(inboundBodies.receivedAtMs)
      .limit(BATCH)
      .all()
      .map(({ id }) => id)
    const gone: string[] = []
    for (let changes = 0; gone.length < old.length && changes < MAX_CHANGES;) {
      const id = old[gone.length] ?? ''
      changes += tx
        .delete(inboundEvents)
        .where(
          acrossOrganizations(
            'one delivery may hold changes of several organizations',
            eq(inboundEvents.bodyId, id),
          ),
        )
        .returning({ id: inboundEvents.id })
        .all().length
      gone.push(id)
    }
    if (gone.length > 0) tx.delete(inboundBodies).where(inArray(inboundBodies.id, gone)).run()
    return gone.length
  })
}
