import { and, eq, inArray, ne, sql, type SQL } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { messagesOf, type ConversationRow } from '../../conversations/row'
import { moveOrdersIn } from '../../orders/contact-changes'
import { messages, messageWords } from '../table'
import { messageReactions } from '../reactions/table'
import { messageRevisions } from '../inbound/table'
import { findByPlatformId } from '../inbound/item'
import { contactWord, mergeIndexPagesIn } from '../search-index'
import { uuidsIn } from '../../../../infra/db/compiled'

/** Source and target of a move. */
export interface Move {
  from: string
  to: string
}

/** A conversation and its contact, as far as its messages name them. */
type Thread = Pick<ConversationRow, 'id' | 'contactId'>

/** Source and target conversation of a move. */
interface ConversationMove {
  from: Thread
  to: Thread
}

/**
 * Moves every message of a conversation to one of another contact, in the caller's transaction.
 * Returns their ids.
 */
export function moveIntoConversationIn(tx: Tx, ctx: Ctx, move: ConversationMove): string[] {
  return tx
    .update(messages)
    .set({ conversationId: move.to.id, contactId: move.to.contactId })
    .where(inOrganization(ctx, messages, messagesOf(move.from)))
    .returning({ id: messages.id })
    .all()
    .map(({ id }) => id)
}

/** Moves some messages of a conversation to one of another contact, in the caller's transaction. */
export function takeOutOfConversationIn(
  tx: Tx,
  ctx: Ctx,
  move: ConversationMove & { ids: string[] },
): void {
  tx.update(messages)
    .set({ conversationId: move.to.id, contactId: move.to.contactId })
    .where(inOrganization(ctx, messages, messagesOf(move.from), isOneOf(move.ids)))
    .run()
}

const isOneOf = (ids: string[]): SQL => sql`${messages.id} in ${uuidsIn(JSON.stringify(ids))}`

/**
 * Moves all messages, reactions, edits and orders of a contact to another, in the caller's
 * transaction.
 */
export function moveAllMessagesIn(tx: Tx, ctx: Ctx, { from, to }: Move): void {
  for (const table of [messages, messageReactions, messageRevisions])
    tx.update(table)
      .set({ contactId: to })
      .where(inOrganization(ctx, table, eq(table.contactId, from)))
      .run()
  moveOrdersIn(tx, ctx, { from, to })
}

/**
 * Moves the messages of these conversations, with reactions and edits, to another contact, in the
 * caller's transaction.
 */
export function moveMessagesIn(tx: Tx, ctx: Ctx, move: Move & { conversationIds: string[] }): void {
  tx.update(messages)
    .set({ contactId: move.to })
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          eq(messages.contactId, move.from),
          sql`${messages.conversationId} in ${uuidsIn(JSON.stringify(move.conversationIds))}`,
        ),
      ),
    )
    .run()
  for (const table of [messageReactions, messageRevisions]) moveWithMessagesIn(tx, ctx, table, move)
  moveOrdersIn(tx, ctx, move)
}

/**
 * Moves the reactions or edits of moved messages, in the caller's transaction. Their tables hold ids
 * of messages as text and `messages` holds bytes, so SQLite cannot join them.
 */
function moveWithMessagesIn(
  tx: Tx,
  ctx: Ctx,
  table: typeof messageReactions | typeof messageRevisions,
  { from, to }: Move,
): void {
  const targets = tx
    .selectDistinct({ accountId: table.accountId, waMessageId: table.targetWaMessageId })
    .from(table)
    .where(inOrganization(ctx, table, eq(table.contactId, from)))
    .all()
  for (const { accountId, waMessageId } of targets)
    if (findByPlatformId(ctx, accountId, waMessageId)?.contactId === to)
      tx.update(table)
        .set({ contactId: to })
        .where(
          inOrganization(
            ctx,
            table,
            and(
              eq(table.contactId, from),
              eq(table.accountId, accountId),
              eq(table.targetWaMessageId, waMessageId),
            ),
          ),
        )
        .run()
}

/** Search index rows updated per transaction. */
const BATCH = 500

/** Rows that are found under a contact, oldest first. */
const FOUND_UNDER =
  'select rowid as row from message_search where message_search match ? and rowid > ? order by rowid limit ?'

/**
 * Updates the contact under which messages are found, for up to 500 that are found under
 * `contactId` after row `after`, in the caller's transaction. Returns the last row, or `null` at the
 * end.
 */
export function rescopeWordsIn(
  tx: Tx,
  ctx: Ctx,
  at: { contactId: string; after: number },
): number | null {
  const found = ctx.db.sqlite
    .query<{ row: number }, [string, number, number]>(FOUND_UNDER)
    .all(`"${contactWord(at.contactId)}"`, at.after, BATCH)
    .map(({ row }) => row)
  const moved = tx
    .select({ row: messages.row, contactId: messages.contactId })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(inArray(messages.row, found), ne(messages.contactId, at.contactId)),
      ),
    )
    .all()
  for (const { row, contactId } of moved) {
    tx.update(messageWords)
      .set({ contactId })
      .where(inOrganization(ctx, messageWords, eq(messageWords.row, row)))
      .run()
    mergeIndexPagesIn(tx, ctx)
  }
  return found.length === BATCH ? (found.at(-1) ?? null) : null
}
