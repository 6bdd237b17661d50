import type { Static } from '@sinclair/typebox'

import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import {
  MessageEchoed,
  MessageQueued,
  MessageReacted,
  MessageReceived,
  MessageStatusChanged,
  MessageUpdated,
} from '../../../inbox/messages/events'
import { mediaSummary } from '../../../channel/media/view'
import { loadMessageParts } from '../../../inbox/messages/message-parts'
import { findMessages } from '../../../inbox/messages/queries'
import {
  contentView,
  isAiGenerated,
  platformIdOf,
  quotedView,
  repeatedId,
  type MessageRow,
} from '../../../inbox/messages/view'
import { contactSummary, liveContact } from './contact'
import { conversationSummary } from './conversation'
import { frame, type FrameEntry, type FrameScope, type Payload } from './kind'

/** Returns a message with its contact, or `null` if one of them does not exist. */
function liveMessage(scope: FrameScope, id: string): MessageRow | null {
  const [row] = findMessages(scope, [id])
  return row && liveContact(scope, row.contactId) ? row : null
}

/** Frames leave out the platform's raw JSON, which clients read over the API. */
function contentOf(
  row: MessageRow,
  isMasked: boolean,
  ownNumbers: () => string[],
): Record<string, unknown> {
  const { raw: _raw, data_raw: _dataRaw, ...rest } = contentView(row, isMasked, ownNumbers)
  return rest
}

function messageNew(
  scope: FrameScope,
  { messageId }: { messageId: string },
  { isMasked }: { isMasked: boolean },
): Payload {
  const [row] = findMessages(scope, [messageId])
  const contact = row && liveContact(scope, row.contactId)
  if (!contact) return null
  const parts = loadMessageParts(scope, [row])(row)
  return {
    id: row.id,
    contact_id: row.contactId,
    direction: row.direction,
    type: row.type,
    content: contentOf(row, isMasked, parts.ownNumbers),
    timestamp: isoTime(row.timestampMs),
    account_id: row.accountId,
    conversation_id: row.conversationId,
    status: row.status,
    wa_message_id: platformIdOf(row),
    source: row.source,
    observed: row.isObserved,
    ai_generated: isAiGenerated(row),
    direct: row.isDirect,
    sent_by: row.sentBy === null ? null : { id: row.sentBy, name: row.sentByName },
    reply_to: quotedView(parts.quoted, isMasked, parts.ownNumbers),
    media: parts.media && mediaSummary(parts.media),
    client_ref: row.clientRef,
    repeat_of: repeatedId(row),
    contact: contactSummary(contact, isMasked),
    conversation: conversationSummary(scope, row.conversationId),
  }
}

function messageStatus(
  scope: FrameScope,
  payload: Static<typeof MessageStatusChanged.payload>,
): Payload {
  const row = liveMessage(scope, payload.messageId)
  if (!row) return null
  const error =
    row.error === null
      ? null
      : (JSON.parse(row.error) as { code: string; message: string; retryable: boolean })
  return {
    id: row.id,
    message_id: row.id,
    contact_id: row.contactId,
    status: payload.status,
    previous_status: payload.previousStatus,
    timestamp: isoTime(payload.timestampMs),
    account_id: row.accountId,
    wa_message_id: platformIdOf(row),
    error: error && { code: error.code, message: error.message, retryable: error.retryable },
  }
}

/** Frames about messages. */
export const messageFrames: FrameEntry[] = [
  frame(MessageReceived, {
    type: 'message:new',
    resource: 'messages',
    audience: 'sight',
    render: messageNew,
  }),
  frame(MessageEchoed, {
    type: 'message:new',
    resource: 'messages',
    audience: 'sight',
    render: messageNew,
  }),
  frame(MessageQueued, {
    type: 'message:new',
    resource: 'messages',
    audience: 'sight',
    watchedAs: ({ contactId, campaignId }) =>
      campaignId === undefined ? null : [`contact:${contactId}`],
    render(scope, payload, at) {
      const said = messageNew(scope, payload, at)
      return said && payload.campaignId !== undefined
        ? { ...said, campaign_id: payload.campaignId }
        : said
    },
  }),
  frame(MessageStatusChanged, {
    type: 'message:status',
    resource: 'messages',
    audience: 'sight',
    watchedAs: ({ contactId, campaignId }) =>
      campaignId === undefined ? null : [`contact:${contactId}`, `campaign:${campaignId}`],
    render(scope, payload) {
      const said = messageStatus(scope, payload)
      return said && payload.campaignId !== undefined
        ? { ...said, campaign_id: payload.campaignId }
        : said
    },
  }),
  frame(MessageUpdated, {
    type: 'message:updated',
    resource: 'messages',
    audience: 'sight',
    render(scope, { messageId, changed }, { isMasked }) {
      const row = liveMessage(scope, messageId)
      if (!row) return null
      const { media, ownNumbers } = loadMessageParts(scope, [row])(row)
      return {
        id: row.id,
        contact_id: row.contactId,
        changed,
        type: row.type,
        content: contentOf(row, isMasked, ownNumbers),
        media: media && mediaSummary(media),
        edited_at: isoTimeOrNull(row.editedAtMs),
        revoked_at: isoTimeOrNull(row.revokedAtMs),
      }
    },
  }),
  frame(MessageReacted, {
    type: 'message:reaction',
    resource: 'messages',
    audience: 'sight',
    render(scope, { messageId, by, userId, emoji }) {
      const row = liveMessage(scope, messageId)
      if (!row) return null
      const { reactions } = loadMessageParts(scope, [row])(row)
      return {
        message_id: row.id,
        contact_id: row.contactId,
        by,
        user_id: userId,
        emoji,
        reactions,
      }
    },
  }),
]
