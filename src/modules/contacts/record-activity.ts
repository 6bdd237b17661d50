import { and, eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { noteReachedIn } from './reachability'
import { contacts } from './table'

/**
 * Opens a contact's window by a sign of life that is no message, in the caller's transaction; an
 * older one moves nothing back.
 */
export function recordContactActivityIn(
  tx: Tx,
  ctx: Ctx,
  news: { contactId: string; atMs: number },
): void {
  tx.update(contacts)
    .set({
      lastInboundAtMs: news.atMs,
      updatedAtMs: ctx.clock.nowMs(),
    })
    .where(
      inOrganization(
        ctx,
        contacts,
        and(
          eq(contacts.id, news.contactId),
          sql`coalesce(${contacts.lastInboundAtMs}, 0) < ${news.atMs}`,
        ),
      ),
    )
    .run()
  noteReachedIn(tx, ctx, news.contactId)
}

/**
 * Lets a contact show what its newest message says now, in the transaction that changed the
 * message; another message's preview stays.
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
