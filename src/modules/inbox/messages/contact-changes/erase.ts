import { and, asc, eq, inArray, lt, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { clearLastMessagesIn } from '../../conversations/merge'
import { deleteFlowDataIn } from '../../../channel/flows/send'
import { deleteMediaIn } from '../../../channel/media/delete-files'
import { eraseOrdersIn } from '../../orders/contact-changes'
import { isPending } from '../outbound/delivery-state'
import { messageFiles, messages, messageTemplates, sendAttempts } from '../table'
import { messageStatuses } from '../status/table'
import { messageReactions } from '../reactions/table'
import { messageRevisions } from '../inbound/table'
import { ERASE_BATCH, filesOfMessages, exclusiveFilesIn } from './message-files'

/** Messages erased between two checks of the time. */
const ERASE_CHUNK = 10

interface Erasable {
  id: string
  contactId: string
  accountId: string
  waMessageId: string | null
  mediaId: string | null
}

const ERASABLE = {
  id: messages.id,
  contactId: messages.contactId,
  accountId: messages.accountId,
  waMessageId: messages.waMessageId,
  mediaId: messages.mediaId,
}

/** Numbers of erased rows. */
export interface ErasedMessages {
  messages: number
  files: number
  reactions: number
  orders: number
}

/**
 * Erases messages of a contact and everything linked to them, in the caller's transaction, until
 * `isOver`. Returns whether there may be more, and what was erased.
 */
export function eraseMessagesIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  isOver: () => boolean,
): { isMore: boolean; erased: ErasedMessages } {
  const erased: ErasedMessages = { messages: 0, files: 0, reactions: 0, orders: 0 }
  do {
    const rows = tx
      .select(ERASABLE)
      .from(messages)
      .where(inOrganization(ctx, messages, eq(messages.contactId, contactId)))
      .limit(ERASE_CHUNK)
      .all()
    const result = eraseRowsIn(tx, ctx, rows, contactId)
    erased.messages += result.messages
    erased.files += result.files
    erased.reactions += result.reactions
    erased.orders += result.orders
    if (rows.length < ERASE_CHUNK) {
      erased.reactions += eraseOrphanedIn(tx, ctx, contactId)
      return { isMore: false, erased }
    }
  } while (!isOver())
  return { isMore: true, erased }
}

/**
 * Erases reactions and edits that wait for messages which never came. Returns the number of
 * reactions.
 */
function eraseOrphanedIn(tx: Tx, ctx: Ctx, contactId: string): number {
  tx.delete(messageRevisions)
    .where(inOrganization(ctx, messageRevisions, eq(messageRevisions.contactId, contactId)))
    .run()
  return tx
    .delete(messageReactions)
    .where(inOrganization(ctx, messageReactions, eq(messageReactions.contactId, contactId)))
    .returning({ id: messageReactions.messageId })
    .all().length
}

/**
 * Erases up to 200 messages of any contact stored before a time, with everything linked to them, in
 * the caller's transaction. Unsent messages stay. Returns whether there may be more.
 */
export function eraseMessagesBeforeIn(tx: Tx, ctx: Ctx, beforeMs: number): boolean {
  // IDs are ordered by time: newer ones are skipped by the index.
  const isOld = and(
    lt(messages.id, lastIdBefore(beforeMs)),
    lt(messages.createdAtMs, beforeMs),
    sql`(${isPending}) is not true`,
  )
  const rows = tx
    .select(ERASABLE)
    .from(messages)
    .where(inOrganization(ctx, messages, isOld))
    .orderBy(asc(messages.id))
    .limit(ERASE_BATCH)
    .all()
  eraseRowsIn(tx, ctx, rows, null)
  clearLastMessagesIn(
    tx,
    ctx,
    rows.map(({ id }) => id),
  )
  return rows.length === ERASE_BATCH
}

/**
 * Erases messages of any contact, with everything linked to them, in the caller's transaction, which
 * counts their conversations and contacts again.
 */
export function eraseTheseMessagesIn(tx: Tx, ctx: Ctx, ids: string[]): void {
  const rows = tx
    .select(ERASABLE)
    .from(messages)
    .where(inOrganization(ctx, messages, inArray(messages.id, ids)))
    .all()
  eraseRowsIn(tx, ctx, rows, null)
  clearLastMessagesIn(tx, ctx, ids)
}

/** Greatest ID of a millisecond (UUID version 7, RFC 9562). */
function lastIdBefore(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-ffff-ffff-ffffffffffff`
}

/**
 * Erases messages and everything linked to them. Deletes files that no other contact was sent; with
 * `contactId` `null`, files without any message left.
 */
function eraseRowsIn(tx: Tx, ctx: Ctx, rows: Erasable[], contactId: string | null): ErasedMessages {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return { messages: 0, files: 0, reactions: 0, orders: 0 }
  const files = filesOfMessages(tx, ctx, rows)
  let reactions = 0
  for (const { accountId, waMessageId } of rows)
    if (waMessageId !== null) reactions += eraseLedgersIn(tx, ctx, { accountId, waMessageId })
  deleteFlowDataIn(tx, ctx, ids)
  const orders = eraseOrdersIn(tx, ctx, ids)
  for (const table of [messageReactions, sendAttempts, messageFiles, messageTemplates])
    tx.delete(table)
      .where(inOrganization(ctx, table, inArray(table.messageId, ids)))
      .run()
  for (const [column, value] of [
    [messages.replyToId, { replyToId: null }],
    [messages.resendOfId, { resendOfId: null }],
  ] as const)
    tx.update(messages)
      .set(value)
      .where(inOrganization(ctx, messages, inArray(column, ids)))
      .run()
  tx.delete(messages)
    .where(inOrganization(ctx, messages, inArray(messages.id, ids)))
    .run()
  const own = exclusiveFilesIn(tx, ctx, contactId ?? '', files)
  deleteMediaIn(tx, ctx, own)
  return { messages: ids.length, files: own.length, reactions, orders }
}

/**
 * Erases the statuses, edits and reactions of a platform message. Returns the number of reactions.
 */
function eraseLedgersIn(tx: Tx, ctx: Ctx, at: { accountId: string; waMessageId: string }): number {
  tx.delete(messageStatuses)
    .where(
      inOrganization(
        ctx,
        messageStatuses,
        and(
          eq(messageStatuses.accountId, at.accountId),
          eq(messageStatuses.waMessageId, at.waMessageId),
        ),
      ),
    )
    .run()
  const about = (table: typeof messageRevisions | typeof messageReactions) =>
    inOrganization(
      ctx,
      table,
      and(eq(table.accountId, at.accountId), eq(table.targetWaMessageId, at.waMessageId)),
    )
  tx.delete(messageRevisions).where(about(messageRevisions)).run()
  return tx
    .delete(messageReactions)
    .where(about(messageReactions))
    .returning({ id: messageReactions.targetWaMessageId })
    .all().length
}
