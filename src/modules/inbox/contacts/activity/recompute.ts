import { desc, eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { calls } from '../../../channel/calls/table'
import { conversations } from '../../conversations/table'
import { messages } from '../../messages/table'
import { changeContactIn } from '../service'
import type { ContactRow } from '../view'

/**
 * Recomputes a contact's totals from its conversations, messages and calls. Runs inside the
 * caller's transaction.
 */
export function recomputeContactIn(tx: Tx, ctx: Ctx, contactId: string): ContactRow {
  const own = inOrganization(ctx, conversations, eq(conversations.contactId, contactId))
  const sums = tx
    .select({
      unread: sql<number>`coalesce(sum(${conversations.unreadCount}), 0)`,
      lastInboundAtMs: sql<number | null>`max(${conversations.lastInboundAtMs})`,
      windowClosedAtMs: sql<number | null>`max(${conversations.windowClosedAtMs})`,
    })
    .from(conversations)
    .where(own)
    .get()
  const message = tx
    .select({
      atMs: messages.timestampMs,
      accountId: messages.accountId,
    })
    .from(messages)
    .where(inOrganization(ctx, messages, eq(messages.contactId, contactId)))
    .orderBy(desc(messages.timestampMs), desc(messages.id))
    .limit(1)
    .get()
  const call = newestCall(tx, ctx, contactId)
  const newest = call && call.atMs >= (message?.atMs ?? 0) ? call : message
  return changeContactIn(tx, ctx, contactId, {
    unreadCount: sums?.unread ?? 0,
    lastInboundAtMs: sums?.lastInboundAtMs ?? null,
    windowClosedAtMs: sums?.windowClosedAtMs ?? null,
    lastMessageAtMs: newest?.atMs ?? null,
    ...(newest ? { accountId: newest.accountId } : {}),
  })
}

const newestCall = (tx: Tx, ctx: Ctx, contactId: string) =>
  tx
    .select({ atMs: calls.timestampMs, accountId: calls.accountId })
    .from(calls)
    .where(inOrganization(ctx, calls, eq(calls.contactId, contactId)))
    .orderBy(desc(calls.timestampMs), desc(calls.id))
    .limit(1)
    .get()
