import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { runHooks } from '../../../infra/transaction-hooks'
import { callPreview } from '../../../platform/call-summary'
import { recordReachedIn } from '../../inbox/contacts/activity/reachability'
import { recomputeContactIn } from '../../inbox/contacts/activity/recompute'
import { recordMessageOnContactIn } from '../../inbox/contacts/activity/record-activity'
import { findContact } from '../../inbox/contacts/service'
import { newestItemOf } from '../../inbox/conversations/recount'
import { recordMessageOnConversationIn } from '../../inbox/conversations/record-message'
import { findConversationById, type ConversationRow } from '../../inbox/conversations/row'
import { findOrOpenConversationIn } from '../../inbox/conversations/service'
import { setUnreadIn } from '../../inbox/conversations/unread'
import {
  changeConversationIn,
  publishDifferenceIn,
  publishPreviewIn,
} from '../../inbox/conversations/update'
import { WindowOpenedByCall } from './events'
import { isUnreadCall } from './rules'
import type { CallRow } from './row'

/** A call before and after a report; `before` is `null` for a new call. */
export interface CallChange {
  before: CallRow | null
  after: CallRow
}

/**
 * Updates the conversation and the contact of a call that was stored or changed, in the same
 * transaction: newest item, preview, window, state and unread count.
 */
export function showInConversationIn(tx: Tx, ctx: Ctx, { before, after }: CallChange): void {
  const contact = findContact(ctx, after.contactId)
  if (!contact) return
  const { contactId, accountId } = after
  const conversation = findOrOpenConversationIn(tx, ctx, {
    contactId,
    accountId,
    assignedTo: contact.assignedTo,
  })
  const begins = after.connectAtMs !== null && (before?.connectAtMs ?? null) === null
  if (before === null || begins)
    recordActivityIn(tx, ctx, conversation, {
      call: after,
      opensWindow: begins && after.direction === 'incoming',
      isBlocked: contact.blockedAtMs !== null,
    })
  if (before !== null && previewOf(before) !== previewOf(after))
    publishPreviewIn(tx, ctx, { id: after.id, conversationId: conversation.id })
  const current = findConversationById(ctx, conversation.id)
  if (!current) return
  publishDifferenceIn(tx, ctx, conversation, current)
  const unread = Number(isUnreadCall(after)) - Number(before !== null && isUnreadCall(before))
  setUnreadIn(tx, ctx, current, Math.max(0, current.unreadCount + unread))
  // A report that came late moves the call back in its thread.
  if (before === null || after.timestampMs >= before.timestampMs) return
  changeConversationIn(tx, ctx, current, newestItemOf(tx, ctx, current))
  recomputeContactIn(tx, ctx, contactId)
}

const previewOf = ({ direction, state }: CallRow): string => callPreview(direction, state)

function recordActivityIn(
  tx: Tx,
  ctx: Ctx,
  conversation: ConversationRow,
  { call, opensWindow, isBlocked }: { call: CallRow; opensWindow: boolean; isBlocked: boolean },
): void {
  const activity = {
    atMs: call.timestampMs,
    inboundAtMs: opensWindow ? call.connectAtMs : null,
    unread: 0,
  } as const
  recordMessageOnConversationIn(tx, ctx, {
    conversationId: conversation.id,
    messageId: call.id,
    reopens: opensWindow && !isBlocked,
    isAnswer: false,
    referral: null,
    conversation,
    ...activity,
  })
  recordMessageOnContactIn(tx, ctx, {
    contactId: call.contactId,
    accountId: call.accountId,
    ...activity,
  })
  if (!opensWindow) return
  recordReachedIn(tx, ctx, call.contactId)
  const { contactId, accountId } = call
  runHooks(tx, ctx, WindowOpenedByCall, { contactId, accountId })
}
