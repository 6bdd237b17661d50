import { and, eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { recordReachedIn } from './reachability'
import { contacts } from './table'

/**
 * Opens a contact's 24-hour window for activity other than a message. Runs inside the caller's
 * transaction. An older activity never moves the window back.
 */
export function recordContactActivityIn(
  tx: Tx,
  ctx: Ctx,
  activity: { contactId: string; atMs: number },
): void {
  tx.update(contacts)
    .set({
      lastInboundAtMs: activity.atMs,
      updatedAtMs: ctx.clock.nowMs(),
    })
    .where(
      inOrganization(
        ctx,
        contacts,
        and(
          eq(contacts.id, activity.contactId),
          sql`coalesce(${contacts.lastInboundAtMs}, 0) < ${activity.atMs}`,
        ),
      ),
    )
    .run()
  recordReachedIn(tx, ctx, activity.contactId)
}

/**
 * Updates the contact's last-message preview if this message is the newest. Runs inside the
 * transaction that changed the message.
 */
export function updatePreviewIn(
  tx: Tx,
  ctx: Ctx,
  message: { contactId: string; atMs: number; before: string; after: string },
): void {
  tx.update(contacts)
    .set({ lastMessagePreview: message.after, updatedAtMs: ctx.clock.nowMs() })
    .where(
      inOrganization(
        ctx,
        contacts,
        and(
          eq(contacts.id, message.contactId),
          eq(contacts.lastMessageAtMs, message.atMs),
          eq(contacts.lastMessagePreview, message.before),
        ),
      ),
    )
    .run()
}
