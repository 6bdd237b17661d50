import { and, eq, exists, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { contacts } from '../../contacts/table'
import { findReusableFiles } from '../../../channel/media/reusable-files'
import { deleteMediaIn } from '../../../channel/media/delete-files'
import { messageFiles, messages } from '../table'

/** Messages erased per transaction. */
export const ERASE_BATCH = 200

/**
 * Deletes the files of up to 200 messages of a contact after the message `after`, in the caller's
 * transaction. The messages stay. Returns the last message ID, or `null` at the end.
 */
export function eraseFilesIn(
  tx: Tx,
  ctx: Ctx,
  at: { contactId: string; after: string },
): string | null {
  const rows = tx
    .select({ id: messages.id, mediaId: messages.mediaId })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          eq(messages.contactId, at.contactId),
          or(isNotNull(messages.mediaId), hasCards(tx, ctx)),
          sql`${messages.id} > ${sql.param(at.after, messages.id)}`,
        ),
      ),
    )
    .orderBy(messages.id)
    .limit(ERASE_BATCH)
    .all()
  deleteMediaIn(tx, ctx, exclusiveFilesIn(tx, ctx, at.contactId, filesOfMessages(tx, ctx, rows)))
  return rows.length === ERASE_BATCH ? (rows.at(-1)?.id ?? null) : null
}

/** Condition for messages with files in template cards. */
const hasCards = (tx: Tx, ctx: Ctx) =>
  exists(
    tx
      .select({ one: sql`1` })
      .from(messageFiles)
      .where(inOrganization(ctx, messageFiles, eq(messageFiles.messageId, messages.id))),
  )

/** IDs of the files of messages, including those of template cards. */
export function filesOfMessages(
  tx: Tx,
  ctx: Ctx,
  rows: { id: string; mediaId: string | null }[],
): string[] {
  const cards = tx
    .select({ mediaId: messageFiles.mediaId })
    .from(messageFiles)
    .where(
      inOrganization(
        ctx,
        messageFiles,
        inArray(
          messageFiles.messageId,
          rows.map(({ id }) => id),
        ),
      ),
    )
    .all()
  return [...new Set([...rows, ...cards].map(({ mediaId }) => mediaId).filter((id) => id !== null))]
}

/** Returns the files that only this contact was sent and that are not kept for reuse. */
export function exclusiveFilesIn(tx: Tx, ctx: Ctx, contactId: string, ids: string[]): string[] {
  if (ids.length === 0) return []
  const others = and(ne(messages.contactId, contactId), isNull(contacts.deletedAtMs))
  const ofContacts = and(
    eq(contacts.organizationId, messages.organizationId),
    eq(contacts.id, messages.contactId),
  )
  const sent = tx
    .select({ mediaId: messages.mediaId })
    .from(messages)
    .innerJoin(contacts, ofContacts)
    .where(inOrganization(ctx, messages, and(inArray(messages.mediaId, ids), others)))
    .all()
  const inCards = tx
    .select({ mediaId: messageFiles.mediaId })
    .from(messageFiles)
    .innerJoin(
      messages,
      and(
        eq(messages.organizationId, messageFiles.organizationId),
        eq(messages.id, messageFiles.messageId),
      ),
    )
    .innerJoin(contacts, ofContacts)
    .where(inOrganization(ctx, messageFiles, and(inArray(messageFiles.mediaId, ids), others)))
    .all()
  const shared = new Set([...sent, ...inCards].map(({ mediaId }) => mediaId))
  const ready = findReusableFiles(ctx, ids)
  return ids.filter((id) => !shared.has(id) && !ready.has(id))
}
