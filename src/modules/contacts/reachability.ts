import { and, eq, max, min, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import type { Tx } from '../../infra/db/transact'
import { messages } from '../messages/table'
import { contacts } from './table'

/** The platform's code of a message that cannot be delivered to its recipient. */
const UNREACHABLE_CODE = 131_026

/**
 * Brings in line since when a contact cannot be reached, in the caller's transaction: since the
 * first message that could not be delivered after the last one that was, and after its own last
 * one. Computed from the rows, so the order of what is told does not matter.
 */
export function followReachabilityIn(tx: Tx, ctx: Ctx, contactId: string): void {
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
    .where(inOrganization(anyScope, contacts, eq(contacts.id, sql.placeholder('id'))))
    .prepare(),
)

/**
 * Looks again whether a contact can be reached, after a sign that it can; costs nothing where
 * nothing else was known.
 */
export function noteReachedIn(tx: Tx, ctx: Ctx, contactId: string): void {
  const known = unreachableSince(ctx.db).get({ organizationId: ctx.organizationId, id: contactId })
  if (known && known.atMs !== null) followReachabilityIn(tx, ctx, contactId)
}
