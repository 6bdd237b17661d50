import { and, eq, sql } from 'drizzle-orm'

import { sha256Hex } from '../../lib/hash'
import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled, type Tx } from '../../infra/db'
import { emit } from '../../infra/outbox/events'
import { previewOf, readContent } from '../../platform/content'
import type { InboundMessage } from '../../platform/payload'
import type { AccountRow } from '../accounts/view'
import { contactOfSenderIn, type Sender } from '../contacts/service'
import { conversationOfIn } from '../conversations/service'
import { noteInboundMediaIn } from '../media/service'
import { isMediaKind } from '../media/view'
import { MessageReceived } from './events'
import { believableTime } from './policy'
import { storeMessageIn, type MessageDraft } from './store'
import { messages } from './table'
import { DIGEST_KEY } from './view'

/** What became of one inbound item. */
export type Receipt = { outcome: 'stored'; messageId: string } | { outcome: 'duplicate' } | { outcome: 'not_a_message' }

/** Items that tell of another message instead of being one. */
const NOT_MESSAGES = new Set(['reaction', 'edit', 'revoke'])

/** System messages come from the platform, not from the customer: they open no window and ask for no answer. */
const opensWindow = (type: string): boolean => type !== 'system'

const byPlatformId = compiled((orm) =>
  orm
    .select({ id: messages.id, conversationId: messages.conversationId })
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(eq(messages.accountId, sql.placeholder('accountId')), eq(messages.waMessageId, sql.placeholder('waMessageId'))),
      ),
    )
    .prepare(),
)

/**
 * Stores a customer's message with its contact and conversation and announces it, in the caller's transaction (spec 6.1). The
 * platform's id decides: a repeat changes nothing. An item without an id gets a key made of its digest, so that repeats of it collapse too.
 */
export function receiveMessageIn(tx: Tx, ctx: Ctx, item: { account: AccountRow; message: InboundMessage; receivedAtMs: number }): Receipt {
  const { account, message, receivedAtMs } = item
  if (NOT_MESSAGES.has(message.type)) return { outcome: 'not_a_message' }
  const waMessageId = message.waMessageId ?? `${DIGEST_KEY}${sha256Hex(JSON.stringify(message.raw))}`
  // A repeat must not touch the contact either; the unique key below is what decides.
  if (byPlatformId(ctx.db).get({ organizationId: ctx.organizationId, accountId: account.id, waMessageId })) return { outcome: 'duplicate' }
  const timestampMs = believableTime(message.timestampMs, receivedAtMs)
  const contact = contactOfSenderIn(tx, ctx, senderOf(message), { accountId: account.id, source: 'inbound', atMs: timestampMs })
  const conversation = conversationOfIn(tx, ctx, { contactId: contact.id, accountId: account.id, assignedTo: contact.assignedTo })
  const { type, content, media } = readContent(message)
  const preview = previewOf(type, content)
  const isSilent = contact.blockedAtMs !== null
  const asks = opensWindow(type)
  const draft: MessageDraft = {
    conversationId: conversation.id,
    contactId: contact.id,
    accountId: account.id,
    waMessageId,
    direction: 'incoming',
    type,
    content,
    preview,
    status: isSilent ? 'read' : 'delivered',
    source: 'contact',
    replyToId: quotedId(ctx, conversation, message.context?.wa_message_id ?? null),
    mediaId:
      media && isMediaKind(type)
        ? noteInboundMediaIn(tx, ctx, {
            accountId: account.id,
            kind: type,
            origin: 'inbound',
            ref: media,
            isLost: message.errors.length > 0,
          })
        : null,
    context: message.context && JSON.stringify({ ...message.context, ...(message.groupId === null ? {} : { group_id: message.groupId }) }),
    referral: message.referral && JSON.stringify(message.referral),
    raw: type === 'text' ? null : JSON.stringify(message.raw),
    timestampMs,
    receivedAtMs,
    readAtMs: isSilent ? receivedAtMs : null,
  }
  const effects = { opensWindow: asks, unread: isSilent || !asks ? (0 as const) : (1 as const), reopens: asks, isAnswer: false }
  const stored = storeMessageIn(tx, ctx, draft, effects)
  if (!stored) return { outcome: 'duplicate' }
  emit(tx, ctx, MessageReceived, { contactId: contact.id, payload: { messageId: stored.id, contactId: contact.id } })
  return { outcome: 'stored', messageId: stored.id }
}

const senderOf = (message: InboundMessage): Sender => ({
  phone: message.from,
  userId: message.userId,
  parentUserId: message.parentUserId,
  profileName: message.profileName,
  username: message.username,
})

/** Our id of the message quoted, when it is here already; found by platform id, within the conversation. */
function quotedId(ctx: Ctx, conversation: { id: string; accountId: string }, waMessageId: string | null): string | null {
  if (waMessageId === null) return null
  const quoted = byPlatformId(ctx.db).get({ organizationId: ctx.organizationId, accountId: conversation.accountId, waMessageId })
  return quoted?.conversationId === conversation.id ? quoted.id : null
}
