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
  limitsInEffect,
  organizationsWithRetention,
  retentionRow,
} from '../../organizations/retention/service'
import { retentionSettings } from '../../organizations/retention/table'
import { inboundBodies, inboundEvents, isNotDone } from '../table'

const BATCH = 200

/** Changes deleted in one transaction with their bodies. The last body may exceed it. */
const MAX_CHANGES = 200

/** Selects the deliveries that an organization keeps longer than the installation does. */
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
 * Deletes a batch of deliveries older than `JOURNAL_DAYS`, with their changes. Keeps deliveries
 * with unprocessed changes. Returns the number of deleted deliveries.
 */
export function pruneJournal(deps: Deps): number {
  return transact(deps.db, (tx) => {
    const unfinished = tx
      .select({ bodyId: inboundEvents.bodyId })
      .from(inboundEvents)
      .where(
        acrossOrganizations(
          'one delivery may hold changes of several organizations',
          and(isNotDone, inArray(inboundEvents.state, ['pending', 'processing'])),
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
