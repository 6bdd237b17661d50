import { and, eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx, anyScope } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { compiled, place } from '../../../../infra/db/compiled'
import { recordReachedIn } from './reachability'
import { contacts } from '../table'

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

/** Effects of a message on its contact. Times are epoch milliseconds. */
export interface ContactMessage {
  contactId: string
  accountId: string
  atMs: number
  /** Platform time if the message opens the 24-hour window, else `null`. */
  inboundAtMs: number | null
  /** 1 if the message counts as unread, else 0. */
  unread: 0 | 1
}

const recordMessage = compiled((orm) => {
  const at = sql.placeholder('atMs')
  const isNewest = sql`(${contacts.lastMessageAtMs} is null or ${contacts.lastMessageAtMs} <= ${at})`
  return orm
    .update(contacts)
    .set({
      accountId: sql`case when ${isNewest} then ${place(contacts.accountId, 'accountId')} else ${contacts.accountId} end`,
      lastMessageAtMs: sql`max(coalesce(${contacts.lastMessageAtMs}, 0), ${at})`,
      lastInboundAtMs: sql`nullif(max(coalesce(${contacts.lastInboundAtMs}, 0), ${sql.placeholder('inboundAtMs')}), 0)`,
      unreadCount: sql`${contacts.unreadCount} + ${sql.placeholder('unread')}`,
      updatedAtMs: sql`${sql.placeholder('nowMs')}`,
    })
    .where(inOrganization(anyScope, contacts, eq(contacts.id, place(contacts.id, 'contactId'))))
    .prepare()
})

/**
 * Updates the contact's newest message, window and unread count, in the transaction of the message.
 * An older message never moves them back.
 */
export function recordMessageOnContactIn(tx: Tx, ctx: Ctx, message: ContactMessage): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  recordMessage(ctx.db).run({
    organizationId: ctx.organizationId,
    ...message,
    inboundAtMs: message.inboundAtMs ?? 0,
    nowMs: ctx.clock.nowMs(),
  })
}
