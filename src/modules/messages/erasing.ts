import { and, eq, inArray, isNotNull, isNull, ne, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { cannedResponses } from '../canned-responses/table'
import { contacts } from '../contacts/table'
import { removeMediaIn } from '../media/removal'
import { messageReactions, messageRevisions, messages, messageStatuses, messageWords, sendAttempts } from './table'

/** Messages erased or looked at in one transaction. */
const AT_ONCE = 200

/** Erases up to 200 messages of a contact with all that hangs on them, in the caller's transaction. Returns whether there may be more. */
export function eraseMessagesIn(tx: Tx, ctx: Ctx, contactId: string): boolean {
  const rows = tx
    .select({ id: messages.id, accountId: messages.accountId, waMessageId: messages.waMessageId, mediaId: messages.mediaId })
    .from(messages)
    .where(inOrganization(ctx, messages, eq(messages.contactId, contactId)))
    .limit(AT_ONCE)
    .all()
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) {
    for (const { accountId, waMessageId } of rows) if (waMessageId !== null) eraseFactsIn(tx, ctx, { accountId, waMessageId })
    for (const table of [messageReactions, messageWords, sendAttempts])
      tx.delete(table)
        .where(inOrganization(ctx, table, inArray(table.messageId, ids)))
        .run()
    tx.update(messages)
      .set({ replyToId: null })
      .where(inOrganization(ctx, messages, inArray(messages.replyToId, ids)))
      .run()
    tx.update(messages)
      .set({ resendOfId: null })
      .where(inOrganization(ctx, messages, inArray(messages.resendOfId, ids)))
      .run()
    tx.delete(messages)
      .where(inOrganization(ctx, messages, inArray(messages.id, ids)))
      .run()
    removeMediaIn(tx, ctx, filesOfOneIn(tx, ctx, contactId, rows))
  }
  if (ids.length === AT_ONCE) return true
  for (const table of [messageReactions, messageRevisions])
    tx.delete(table)
      .where(inOrganization(ctx, table, eq(table.contactId, contactId)))
      .run()
  return false
}

function eraseFactsIn(tx: Tx, ctx: Ctx, at: { accountId: string; waMessageId: string }): void {
  tx.delete(messageStatuses)
    .where(
      inOrganization(
        ctx,
        messageStatuses,
        and(eq(messageStatuses.accountId, at.accountId), eq(messageStatuses.waMessageId, at.waMessageId)),
      ),
    )
    .run()
  for (const table of [messageRevisions, messageReactions])
    tx.delete(table)
      .where(inOrganization(ctx, table, and(eq(table.accountId, at.accountId), eq(table.targetWaMessageId, at.waMessageId))))
      .run()
}

/**
 * Removes the files of up to 200 messages of a contact after the message `after`, in the caller's transaction; the messages stay. Returns
 * where to go on; `null` at the end.
 */
export function forgetFilesIn(tx: Tx, ctx: Ctx, at: { contactId: string; after: string }): string | null {
  const rows = tx
    .select({ id: messages.id, mediaId: messages.mediaId })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(eq(messages.contactId, at.contactId), isNotNull(messages.mediaId), sql`${messages.id} > ${at.after}`),
      ),
    )
    .orderBy(messages.id)
    .limit(AT_ONCE)
    .all()
  removeMediaIn(tx, ctx, filesOfOneIn(tx, ctx, at.contactId, rows))
  return rows.length === AT_ONCE ? (rows.at(-1)?.id ?? null) : null
}

/** The files of messages that are this contact's alone: one that others were sent too, or that people keep ready in an answer, is theirs as well. */
function filesOfOneIn(tx: Tx, ctx: Ctx, contactId: string, rows: { mediaId: string | null }[]): string[] {
  const ids = [...new Set(rows.map(({ mediaId }) => mediaId).filter((id) => id !== null))]
  if (ids.length === 0) return []
  const sent = tx
    .select({ mediaId: messages.mediaId })
    .from(messages)
    .innerJoin(contacts, and(eq(contacts.organizationId, messages.organizationId), eq(contacts.id, messages.contactId)))
    .where(
      inOrganization(ctx, messages, and(inArray(messages.mediaId, ids), ne(messages.contactId, contactId), isNull(contacts.deletedAtMs))),
    )
    .all()
  const ready = tx
    .select({ mediaId: cannedResponses.mediaId })
    .from(cannedResponses)
    .where(inOrganization(ctx, cannedResponses, inArray(cannedResponses.mediaId, ids)))
    .all()
  const shared = new Set([...sent, ...ready].map(({ mediaId }) => mediaId))
  return ids.filter((id) => !shared.has(id))
}
