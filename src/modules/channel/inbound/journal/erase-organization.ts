import { and, eq, inArray, isNull, not } from 'drizzle-orm'

import { packBody } from '../../../../platform/webhook/pack-body'
import { acrossOrganizations, inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { accounts } from '../../accounts/table'
import { isToBePassedOn } from '../cells/pass-on'
import { inboundBodies, inboundEvents } from '../table'
import { unpackedBody } from './bodies'
import type { InboundEventRow } from './row'

const REASON = 'one delivery may hold changes of several organizations'

/**
 * Erases up to `limit` stored changes of an organization from the journal, in the caller's
 * transaction: its own, and unrouted ones for its former numbers, unless they still have to be passed
 * on to another cell. A delivery that also holds changes of others keeps only those. Returns whether
 * there may be more.
 */
export function eraseJournalIn(tx: Tx, ctx: Ctx, limit: number): boolean {
  const rows = tx
    .select()
    .from(inboundEvents)
    .where(inOrganization(ctx, inboundEvents))
    .limit(limit)
    .all()
  const found = rows.length > 0 ? rows : unroutedOf(tx, ctx, limit)
  deleteChangesIn(tx, ctx, found)
  return found.length > 0
}

/** Deletes changes, and what their bodies contain of them, in the caller's transaction. */
export function deleteChangesIn(tx: Tx, ctx: Ctx, found: InboundEventRow[]): void {
  for (const [bodyId, changes] of Map.groupBy(found, (row) => row.bodyId)) {
    const ids = changes.map(({ id }) => id)
    tx.delete(inboundEvents)
      .where(acrossOrganizations(REASON, inArray(inboundEvents.id, ids)))
      .run()
    const others = tx
      .select()
      .from(inboundEvents)
      .where(acrossOrganizations(REASON, eq(inboundEvents.bodyId, bodyId)))
      .all()
    if (others.length === 0) tx.delete(inboundBodies).where(eq(inboundBodies.id, bodyId)).run()
    else emptyChangesIn(tx, ctx, bodyId, without(changes, others))
    ctx.recentBodies.drop(bodyId)
  }
}

/**
 * Unrouted changes for numbers that were the organization's and are nobody's now. Those that are still
 * to be passed on stay: the organization may have moved, or its move here was aborted.
 */
function unroutedOf(tx: Tx, ctx: Ctx, limit: number) {
  const numbers = tx
    .select({ phoneId: accounts.phoneId })
    .from(accounts)
    .where(inOrganization(ctx, accounts))
    .all()
  const live = new Set(
    tx
      .select({ phoneId: accounts.phoneId })
      .from(accounts)
      .where(
        acrossOrganizations(
          'a number may have been connected by another organization since',
          and(
            isNull(accounts.deletedAtMs),
            inArray(
              accounts.phoneId,
              numbers.map(({ phoneId }) => phoneId),
            ),
          ),
        ),
      )
      .all()
      .map(({ phoneId }) => phoneId),
  )
  const phoneIds = numbers.map(({ phoneId }) => phoneId).filter((id) => !live.has(id))
  return tx
    .select()
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'an unrouted change has no organization',
        and(
          isNull(inboundEvents.organizationId),
          inArray(inboundEvents.phoneNumberId, phoneIds),
          not(isToBePassedOn(inboundEvents.bodyId)),
        ),
      ),
    )
    .limit(limit)
    .all()
}

/** A change in its body. */
type Place = Pick<typeof inboundEvents.$inferSelect, 'entryIndex' | 'changeIndex'>

/** The changes that no other organization shares. */
const without = (changes: Place[], others: Place[]): Place[] =>
  changes.filter(
    ({ entryIndex, changeIndex }) =>
      !others.some((other) => other.entryIndex === entryIndex && other.changeIndex === changeIndex),
  )

function emptyChangesIn(tx: Tx, ctx: Ctx, bodyId: number, places: Place[]): void {
  if (places.length === 0) return
  const body = unpackedBody(ctx, bodyId) as { entry?: { changes?: { value?: unknown }[] }[] }
  for (const { entryIndex, changeIndex } of places) {
    const change = body.entry?.[entryIndex]?.changes?.[changeIndex]
    if (change) change.value = {}
  }
  tx.update(inboundBodies)
    .set({ body: packBody(Buffer.from(JSON.stringify(body))) })
    .where(eq(inboundBodies.id, bodyId))
    .run()
}
