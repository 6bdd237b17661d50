import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { runHooks } from '../../../../infra/transaction-hooks'
import { emit } from '../../../../infra/outbox/events'
import { readContent } from '../../../../platform/webhook/content'
import { systemChangeOf } from '../../../../platform/webhook/system-change'
import { reactionOf, revisionOf } from '../../../../platform/webhook/reactions-and-edits'
import { isRestricted } from '../../../channel/accounts/view'
import { updateReachabilityIn } from '../../contacts/activity/reachability'
import { findConversationById, type ConversationRow } from '../../conversations/row'
import { recordOwnMessageIn, recordThreadFactIn } from '../../conversations/thread-owner'
import { publishPreviewIn } from '../../conversations/update'
import { CallPermissionChanged } from '../../../channel/calls/events'
import { createOrderIn } from '../../orders/create'
import type { OrderContent } from '../../orders/model'
import { recordResponseIn } from '../../../channel/flows/record-response'
import { sendAutoReplyIn } from '../outbound/auto-reply'
import { receiveEchoIn } from './echo'
import { receiveObservedIn } from './receive-observed'
import { MessageArrived, MessageReceived, MessageUpdated } from '../events'
import { withFlowIds, contentIn, messageFieldsIn } from './content'
import { findByPlatformId, keyOf, type InboundItem, type Receipt } from './item'
import { contactOfItemIn, applySystemChangeIn, isOfErased } from './contact'
import { plausibleTime } from '../rules'
import { releaseAnswersIn } from '../outbound/release'
import { forgetRepeatsIn } from '../outbound/outcome-wait'
import { receiveReactionIn, linkPendingReactionsIn } from '../reactions/receive'
import { receiveRevisionIn, applyEditsIn } from './edits'
import { storeMessageIn } from '../store'
import { messages } from '../table'
import type { MessageRow } from '../view'
import { indexWordsIn } from '../search-index'
import { consentKeywordIn } from '../../contacts/consent/keywords'

/**
 * Stores an incoming message, reaction, edit or deletion, in the caller's transaction. Handles
 * live, history and phone-app messages. Idempotent by platform message ID.
 */
export function receiveIn(tx: Tx, ctx: Ctx, item: InboundItem): Receipt {
  const reaction = reactionOf(item.message)
  if (reaction) return receiveReactionIn(tx, ctx, item, reaction)
  const revision = revisionOf(item.message)
  if (revision) return receiveRevisionIn(tx, ctx, item, revision)
  // A repeat must not change the contact either. The unique key on the platform ID has the final
  // say.
  const known = findByPlatformId(ctx, item.account.id, keyOf(item.message))
  if (known) return receiveKnownIn(tx, ctx, known, item)
  const change = systemChangeOf(item.message)
  if (change && isOfErased(ctx, item.message, change))
    return { outcome: 'no_effect', reason: 'erased' }
  const stored =
    item.direction === 'incoming' ? receiveMessageIn(tx, ctx, item) : receiveEchoIn(tx, ctx, item)
  if (!stored) return { outcome: 'duplicate' }
  linkPendingReactionsIn(tx, ctx, stored, { isQuiet: item.isPast })
  applyEditsIn(tx, ctx, stored, { isQuiet: item.isPast })
  return { outcome: 'stored', messageId: stored.id }
}

/** Publishes a stored message of a customer. */
function publishReceivedIn(tx: Tx, ctx: Ctx, stored: MessageRow, item: InboundItem): void {
  const { id: messageId, contactId } = stored
  emit(tx, ctx, MessageReceived, {
    contactId,
    payload: {
      messageId,
      contactId,
      ...(item.isLate ? { isLate: true } : {}),
      ...(item.isObserved ? { isObserved: true } : {}),
    },
  })
}

/**
 * Stores a customer's message with its contact and conversation and publishes it (spec 6.1).
 * Returns `null` if its platform ID is already stored. History messages are stored as read and
 * without events.
 */
function receiveMessageIn(tx: Tx, ctx: Ctx, item: InboundItem): MessageRow | null {
  const { account, message, receivedAtMs, isPast } = item
  const atMs = plausibleTime(message.timestampMs, receivedAtMs)
  const change = systemChangeOf(message)
  // System messages come from the platform: they neither open the window nor need an answer.
  const isFromCustomer = change === null && !isPast
  // Group messages neither open the window of the private chat nor answer anything in it.
  const isPrivate = isFromCustomer && message.groupId === null
  const sender = contactOfItemIn(tx, ctx, item, isFromCustomer ? atMs : null)
  const contact =
    change && !isPast
      ? applySystemChangeIn(tx, ctx, sender, { change, accountId: account.id, atMs })
      : sender
  const isBlocked = contact.blockedAtMs !== null
  const isSilent = isPast || isBlocked || item.isObserved
  const { fields, conversation } = messageFieldsIn(tx, ctx, item, contact)
  const stored = storeMessageIn(
    tx,
    ctx,
    {
      ...fields,
      direction: 'incoming',
      status: isSilent ? 'read' : 'delivered',
      source: 'contact',
      isSilent,
      readAtMs: isSilent ? receivedAtMs : null,
    },
    {
      opensWindow: isPrivate,
      unread: isFromCustomer && !isSilent ? 1 : 0,
      reopens: isFromCustomer && !isSilent,
      isForBot: isPrivate && !item.isLate,
      isAnswer: false,
      isPast,
      conversation,
    },
  )
  if (stored && isPrivate && contact.undeliverableSinceMs !== null)
    updateReachabilityIn(tx, ctx, contact.id)
  if (stored) recordFlowReplyIn(tx, ctx, stored, isPast || item.isLate)
  if (stored) recordOrderIn(tx, ctx, stored, item)
  if (stored) publishPermissionIn(tx, ctx, stored, item)
  if (!stored || isPast) return stored
  if (isPrivate && (item.isObserved || !isBlocked))
    recordThreadMessageIn(tx, ctx, { item, conversation, atMs })
  // An opt-out is recorded before anything else reacts to the message.
  const consent =
    stored.type === 'text'
      ? consentKeywordIn(tx, ctx, {
          contactId: contact.id,
          accountId: account.id,
          text: String(fields.content['text']),
          messageId: stored.id,
          atMs,
          mayAnswer: isPrivate && !isSilent && !item.isLate,
          ...(item.isObserved ? { only: 'opted_out' as const } : {}),
        })
      : null
  publishReceivedIn(tx, ctx, stored, item)
  if (isPrivate && isRestricted(account, ctx.clock.nowMs())) releaseAnswersIn(tx, ctx, stored)
  if (isPrivate) forgetRepeatsIn(tx, ctx, stored)
  if (isPrivate)
    runHooks(tx, ctx, MessageArrived, {
      messageId: stored.id,
      contactId: contact.id,
      accountId: account.id,
      type: stored.type,
      content: fields.content,
      atMs,
      isQuiet: isSilent || item.isLate,
      isConsentWord: consent !== null,
    })
  if (consent?.reply != null && isPrivate && !isBlocked && !item.isLate)
    sendAutoReplyIn(tx, ctx, { message: stored, account }, consent.reply)
  return stored
}

/** Records what a customer's message says about the owner of its thread. */
function recordThreadMessageIn(
  tx: Tx,
  ctx: Ctx,
  at: { item: InboundItem; conversation: ConversationRow; atMs: number },
): void {
  const { item, conversation, atMs } = at
  const isQuiet = item.isLate
  if (!item.isObserved) {
    if (conversation.threadOwner !== 'us' || conversation.ownerSinceMs !== null)
      recordOwnMessageIn(tx, ctx, { conversationId: conversation.id, atMs }, { isQuiet })
    return
  }
  const row = findConversationById(ctx, conversation.id)
  if (row) recordThreadFactIn(tx, ctx, row, { kind: 'standby', atMs }, { isQuiet })
}

/** Receives a message whose platform ID is known: in the other field, or again. */
function receiveKnownIn(tx: Tx, ctx: Ctx, known: MessageRow, item: InboundItem): Receipt {
  const isIncoming = known.direction === 'incoming' && item.direction === 'incoming'
  const isFromCustomer =
    isIncoming && !item.isPast && known.type !== 'system' && item.message.groupId === null
  const conversation = isFromCustomer ? findConversationById(ctx, known.conversationId) : null
  if (conversation && item.isObserved)
    recordThreadMessageIn(tx, ctx, { item, conversation, atMs: known.timestampMs })
  if (conversation && known.isObserved && !item.isObserved)
    return receiveObservedIn(tx, ctx, { known, item, conversation })
  return replaceUnsupportedIn(tx, ctx, known, item)
}

/** Stores the response of a Flow if the message is one. */
function recordFlowReplyIn(tx: Tx, ctx: Ctx, message: MessageRow, isLate: boolean): void {
  if (message.type !== 'interactive') return
  const { kind, flow_id, flow_token, data } = JSON.parse(message.content) as Partial<FlowReply>
  if (kind !== 'flow_reply') return
  recordResponseIn(tx, ctx, {
    messageId: message.id,
    contactId: message.contactId,
    sent: flow_id && flow_token ? { flowId: flow_id, token: flow_token } : null,
    data: data ?? null,
    completedAtMs: message.timestampMs,
    isLate,
  })
}

/** Stores the order of a message if it brings one. */
function recordOrderIn(
  tx: Tx,
  ctx: Ctx,
  message: MessageRow,
  { isPast, isLate }: Pick<InboundItem, 'isPast' | 'isLate'>,
): void {
  if (message.type !== 'order' || message.direction !== 'incoming' || isPast) return
  const content = JSON.parse(message.content) as OrderContent
  createOrderIn(tx, ctx, { ...message, content, isLate })
}

/** Publishes the answer to a request for the permission to call if the message is one. */
function publishPermissionIn(
  tx: Tx,
  ctx: Ctx,
  message: MessageRow,
  { isPast, isLate }: Pick<InboundItem, 'isPast' | 'isLate'>,
): void {
  if (message.type !== 'interactive' || isPast) return
  const { contactId, accountId } = message
  const content = JSON.parse(message.content) as Record<string, unknown>
  if (content['kind'] !== 'call_permission_reply') return
  const expiresAt = content['expires_at']
  const expiresAtMs = typeof expiresAt === 'string' ? Date.parse(expiresAt) : null
  const permitted = expiresAtMs === null ? ('permanent' as const) : ('temporary' as const)
  const state = content['response'] === 'accept' ? permitted : ('denied' as const)
  emit(tx, ctx, CallPermissionChanged, {
    contactId,
    payload: { contactId, accountId, state, expiresAtMs, ...(isLate ? { isLate } : {}) },
  })
}

/** The content of a Flow response message. */
interface FlowReply {
  kind: 'flow_reply'
  flow_id: string | null
  flow_token: string | null
  data: Record<string, unknown> | null
}

/** Updates a known message only if its type was unsupported when it arrived and can be read now. */
function replaceUnsupportedIn(tx: Tx, ctx: Ctx, known: MessageRow, item: InboundItem): Receipt {
  const isUpgrade =
    known.type === 'unsupported' &&
    known.editedAtMs === null &&
    known.revokedAtMs === null &&
    readContent(item.message).type !== 'unsupported'
  if (!isUpgrade) return { outcome: 'duplicate' }
  const { accountId, contactId, replyToId: quotedId } = known
  const { content, ...rest } = withFlowIds(ctx, contentIn(tx, ctx, item), {
    accountId,
    contactId,
    quotedId,
  })
  const fields = { ...rest, content: JSON.stringify(content) }
  tx.update(messages)
    .set(fields)
    .where(inOrganization(ctx, messages, eq(messages.id, known.id)))
    .run()
  indexWordsIn(tx, ctx, { ...known, ...fields })
  recordFlowReplyIn(tx, ctx, { ...known, ...fields }, item.isPast || item.isLate)
  recordOrderIn(tx, ctx, { ...known, ...fields }, item)
  if (item.isPast || item.isLate) return { outcome: 'upgraded', messageId: known.id }
  publishPreviewIn(tx, ctx, known)
  emit(tx, ctx, MessageUpdated, {
    contactId: known.contactId,
    payload: {
      messageId: known.id,
      contactId: known.contactId,
      changed: ['type', 'content', 'preview', ...(fields.mediaId ? ['media'] : [])],
    },
  })
  return { outcome: 'upgraded', messageId: known.id }
}
