import { eq } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { fieldSentence, InvalidError, NotFoundError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { findAccount } from '../../../channel/accounts/queries'
import { findCalls } from '../../../channel/calls/find'
import { markCallsReadIn } from '../../../channel/calls/mark-read'
import { findContact } from '../../contacts/service'
import { getVisibleContact, isVisibleIn } from '../../contacts/sight/visibility'
import { findConversationById, type ConversationRow } from '../../conversations/row'
import { getVisibleConversation } from '../../conversations/queries'
import { countUnreadCalls } from '../../conversations/recount'
import { conversationsOf, setUnreadIn } from '../../conversations/unread'
import { requireAccount } from '../outbound/choose-account'
import { messages } from '../table'
import { platformIdOf } from '../view'
import { SendReadReceipt } from '../jobs'
import type { ReadContact, ReadUpTo, UnreadCount } from './model'
import { markRowsReadIn, unreadMessagesIn, unreadNoticesIn, type Position } from './unread-messages'

/** Maximum age of a message for a read receipt, in milliseconds (platform documentation). */
export const MAX_RECEIPT_MS = 30 * DAY_MS

/**
 * The last position to mark as read, and whether to send a read receipt (`undefined`: as the phone
 * number is configured).
 */
interface ReadRequest {
  upTo: Position | null
  sendReceipt: boolean | undefined
}

/**
 * Marks a conversation as read, up to a message or call or completely. Throws NotFoundError, and
 * InvalidError for a message of another conversation.
 */
export function markConversationRead(
  ctx: Ctx,
  id: string,
  { up_to, send_receipt }: ReadUpTo,
): UnreadCount {
  return transact(ctx.db, (tx) => {
    const conversation = getVisibleConversation(ctx, id)
    const upTo = up_to === undefined ? null : positionOf(tx, ctx, conversation, up_to)
    return { unread_count: markReadIn(tx, ctx, conversation, { upTo, sendReceipt: send_receipt }) }
  })
}

/**
 * Marks all conversations of a contact as read, or the one with a phone number. Throws
 * NotFoundError, and InvalidError for an unknown number.
 */
export function markContactRead(
  ctx: Ctx,
  contactId: string,
  { account_id, send_receipt }: ReadContact,
): UnreadCount {
  return transact(ctx.db, (tx) => {
    getVisibleContact(ctx, contactId)
    if (account_id !== undefined) requireAccount(ctx, account_id)
    for (const conversation of conversationsOf(tx, ctx, { contactId, accountId: account_id }))
      markReadIn(tx, ctx, conversation, { upTo: null, sendReceipt: send_receipt })
    return { unread_count: findContact(ctx, contactId)?.unreadCount ?? 0 }
  })
}

/**
 * Marks an incoming message and all before it as read. Throws NotFoundError, and InvalidError for
 * an outgoing message.
 */
export function markMessageRead(ctx: Ctx, messageId: string): UnreadCount {
  return transact(ctx.db, (tx) => {
    const row = tx
      .select()
      .from(messages)
      .where(
        inOrganization(
          ctx,
          messages,
          eq(messages.id, messageId),
          isVisibleIn(ctx, messages.contactId),
        ),
      )
      .get()
    const conversation = row && findConversationById(ctx, row.conversationId)
    if (!conversation || findContact(ctx, row.contactId)?.deletedAtMs !== null)
      throw new NotFoundError('Message')
    if (row.direction !== 'incoming')
      throw new InvalidError('Only incoming messages can be marked as read.', {
        code: 'not_incoming',
      })
    return {
      unread_count: markReadIn(tx, ctx, conversation, { upTo: row, sendReceipt: undefined }),
    }
  })
}

function positionOf(tx: Tx, ctx: Ctx, conversation: ConversationRow, id: string): Position {
  const row = tx
    .select()
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        eq(messages.id, id),
        eq(messages.conversationId, conversation.id),
      ),
    )
    .get()
  if (row) return row
  const [call] = findCalls(ctx, [id])
  if (call?.contactId === conversation.contactId && call.accountId === conversation.accountId)
    return call
  const problem = { path: 'body.up_to', message: 'is not a message of this conversation' }
  throw new InvalidError(fieldSentence(problem.path, problem.message), {
    code: 'invalid_input',
    errors: [problem],
  })
}

/**
 * Marks messages and missed calls as read and enqueues the read receipt, in the caller's transaction. Returns the
 * unread count.
 */
function markReadIn(
  tx: Tx,
  ctx: Ctx,
  conversation: ConversationRow,
  { upTo, sendReceipt }: ReadRequest,
): number {
  const unread = unreadMessagesIn(tx, ctx, conversation, upTo)
  const rows = unread.filter((message) => message.isReached === 1).map(({ row }) => row)
  markRowsReadIn(tx, ctx, [...rows, ...unreadNoticesIn(tx, ctx, conversation, upTo)])
  markCallsReadIn(tx, ctx, conversation, upTo)
  const unreadCount =
    upTo === null ? 0 : unread.length - rows.length + countUnreadCalls(tx, ctx, conversation)
  setUnreadIn(tx, ctx, conversation, unreadCount)
  const [newest] = rows
  if (newest !== undefined) requestReceiptIn(tx, ctx, newest, sendReceipt)
  return unreadCount
}

function requestReceiptIn(tx: Tx, ctx: Ctx, of: number, requested: boolean | undefined): void {
  const row = tx
    .select()
    .from(messages)
    .where(inOrganization(ctx, messages, eq(messages.row, of)))
    .get()
  const account = row && findAccount(ctx, row.accountId)
  if (!account || account.deletedAtMs !== null || !(requested ?? account.autoReadReceipt)) return
  if (platformIdOf(row) === null || ctx.clock.nowMs() - row.timestampMs > MAX_RECEIPT_MS) return
  enqueue(tx, ctx, SendReadReceipt, {
    args: { messageId: row.id, untilMs: row.timestampMs + MAX_RECEIPT_MS },
    orderingKey: `receipt:${row.conversationId}`,
  })
}
