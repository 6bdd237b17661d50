import { and, eq, max, min, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { messages } from '../../messages/table'
import { contacts } from '../table'

/** The platform's error code for an undeliverable message. */
const UNREACHABLE_CODE = 131_026

/**
 * Recomputes since when a contact cannot be reached: since the first undeliverable message after
 * its last delivered or received one. Derived from the rows, so the order of the statuses does not
 * matter. Runs inside the caller's transaction.
 */
export function updateReachabilityIn(tx: Tx, ctx: Ctx, contactId: string): void {
  const ofContact = inOrganization(
    ctx,
    messages,
    and(eq(messages.contactId, contactId), eq(messages.direction, 'outgoing')),
  )
  const delivered = tx
    .select({ atMs: max(messages.deliveredAtMs) })
    .from(messages)
    .where(ofContact)
    .get()
  const row = tx
    .select({
      lastInboundAtMs: contacts.lastInboundAtMs,
      undeliverableSinceMs: contacts.undeliverableSinceMs,
    })
    .from(contacts)
    .where(inOrganization(ctx, contacts, eq(contacts.id, contactId)))
    .get()
  if (!row) return
  const reachedAtMs = Math.max(delivered?.atMs ?? 0, row.lastInboundAtMs ?? 0)
  const failed = tx
    .select({ atMs: min(messages.failedAtMs) })
    .from(messages)
    .where(
      and(
        ofContact,
        sql`${messages.failedAtMs} > ${reachedAtMs}`,
        sql`json_extract(${messages.error}, '$.platform_code') = ${UNREACHABLE_CODE}`,
      ),
    )
    .get()
  const sinceMs = failed?.atMs ?? null
  if (sinceMs === row.undeliverableSinceMs) return
  tx.update(contacts)
    .set({ undeliverableSinceMs: sinceMs, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, contacts, eq(contacts.id, contactId)))
    .run()
}

const unreachableSince = compiled((orm) =>
  orm
    .select({ atMs: contacts.undeliverableSinceMs })
    .from(contacts)
    .where(inOrganization(anyScope, contacts, eq(contacts.id, place(contacts.id, 'id'))))
    .prepare(),
)

/**
 * Recomputes the reachability of a contact after a sign that it can be reached. Does nothing if it
 * is not marked undeliverable.
 */
export function recordReachedIn(tx: Tx, ctx: Ctx, contactId: string): void {
  const known = unreachableSince(ctx.db).get({ organizationId: ctx.organizationId, id: contactId })
  if (known && known.atMs !== null) updateReachabilityIn(tx, ctx, contactId)
}
