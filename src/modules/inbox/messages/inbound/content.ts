import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { messagePreview, readContent } from '../../../../platform/webhook/content'
import type { InboundMessage } from '../../../../platform/webhook/messages'
import type { ContactRow } from '../../contacts/view'
import type { ConversationRow } from '../../conversations/row'
import { findOrOpenConversationIn } from '../../conversations/service'
import { findSentFlow } from '../../../channel/flows/record-response'
import { recordInboundMediaIn } from '../../../channel/media/receive'
import { isMediaKind } from '../../../channel/media/view'
import { findByPlatformId, keyOf, type InboundItem } from './item'
import { plausibleTime } from '../rules'
import type { NewMessageRow } from '../store'

type Common =
  | 'conversationId'
  | 'contactId'
  | 'accountId'
  | 'waMessageId'
  | 'type'
  | 'content'
  | 'preview'
  | 'mediaId'
  | 'replyToId'
  | 'context'
  | 'referral'
  | 'raw'
  | 'isObserved'
  | 'timestampMs'
  | 'receivedAtMs'

/**
 * Builds the row of a delivered message and opens its conversation, in the caller's transaction.
 * The new conversation of a blocked contact or of an observed message is unassigned.
 */
export function messageFieldsIn(
  tx: Tx,
  ctx: Ctx,
  item: InboundItem,
  contact: ContactRow,
): { fields: Pick<NewMessageRow, Common>; conversation: ConversationRow } {
  const { account, message, receivedAtMs } = item
  const isAssigned = contact.blockedAtMs === null && !item.isObserved
  const assignedTo = isAssigned ? contact.assignedTo : null
  const conversation = findOrOpenConversationIn(tx, ctx, {
    contactId: contact.id,
    accountId: account.id,
    assignedTo,
  })
  const replyToId = quotedId(ctx, conversation, message.context?.wa_message_id ?? null)
  const body = withFlowIds(ctx, contentIn(tx, ctx, item), {
    accountId: account.id,
    contactId: contact.id,
    quotedId: replyToId,
  })
  const fields = {
    conversationId: conversation.id,
    contactId: contact.id,
    accountId: account.id,
    waMessageId: keyOf(message),
    ...body,
    replyToId,
    context: contextOf(message),
    referral: message.referral && JSON.stringify(message.referral),
    isObserved: item.isObserved,
    timestampMs: plausibleTime(message.timestampMs, receivedAtMs),
    receivedAtMs,
  }
  return { fields, conversation }
}

/**
 * Reads the content of a delivered message and schedules the download of its file, in the caller's
 * transaction.
 */
export function contentIn(
  tx: Tx,
  ctx: Ctx,
  { account, message, direction }: InboundItem,
): Pick<NewMessageRow, 'type' | 'content' | 'preview' | 'mediaId' | 'raw'> {
  const { type, content, media } = readContent(message)
  const mediaId =
    media && isMediaKind(type)
      ? recordInboundMediaIn(tx, ctx, {
          accountId: account.id,
          kind: type,
          origin: direction === 'incoming' ? 'inbound' : 'phone_app',
          ref: media,
          isLost: message.errors.length > 0,
        })
      : null
  return {
    type,
    content,
    preview: messagePreview(type, content),
    mediaId,
    raw: type === 'text' ? null : JSON.stringify(message.raw),
  }
}

/** Adds the Flow ID and token to the content of a Flow response that answers a known message. */
export function withFlowIds<T extends Pick<NewMessageRow, 'type' | 'content'>>(
  ctx: Ctx,
  body: T,
  at: { accountId: string; contactId: string; quotedId: string | null },
): T {
  if (body.content['kind'] !== 'flow_reply') return body
  const { flow_token: token } = body.content
  const sent = findSentFlow(ctx, { token: typeof token === 'string' ? token : null, ...at })
  return sent === null
    ? body
    : { ...body, content: { ...body.content, flow_id: sent.flowId, flow_token: sent.token } }
}

/** The quoted message and forwarding details as JSON, with the group ID. */
export function contextOf({ context, groupId }: InboundMessage): string | null {
  if (groupId === null) return context && JSON.stringify(context)
  const none = {
    wa_message_id: null,
    from: null,
    forwarded: false,
    frequently_forwarded: false,
    referred_product: null,
  }
  return JSON.stringify({ ...(context ?? none), group_id: groupId })
}

/** Returns the ID of the quoted message if it is stored in this conversation. */
function quotedId(
  ctx: Ctx,
  conversation: { id: string; accountId: string },
  waMessageId: string | null,
): string | null {
  if (waMessageId === null) return null
  const quoted = findByPlatformId(ctx, conversation.accountId, waMessageId)
  return quoted?.conversationId === conversation.id ? quoted.id : null
}
