import type { QueryClient } from '@tanstack/react-query'

import type { Conversation, Item, Status } from '../api/shapes'
import { changeConversations } from './patch-conversations'
import type { Effect, Payload } from './effect'
import { invalidateSoon } from './refresh'
import { addItem, changeMessage, mayFollow } from './thread'

/** A message as an event describes it: its own facts without those of its delivery. */
const EMPTY = {
  wa_message_id: null,
  sent_at: null,
  delivered_at: null,
  read_at: null,
  played_at: null,
  failed_at: null,
  error: null,
  reply_to: null,
  context: null,
  referral: null,
  media: null,
  reactions: [],
  edited_at: null,
  revoked_at: null,
  preview: '',
  warnings: [],
  observed: false,
  ai_generated: false,
  ai_model: null,
  sent_by: null,
  client_ref: null,
  campaign_id: null,
  direct: false,
  platform_template_id: null,
  template_name: null,
  resend_of: null,
  repeat_of: null,
  pricing: null,
  cost: null,
}

interface NewMessage extends Payload {
  id: string
  conversation_id: string
  timestamp: string
  direction: 'incoming' | 'outgoing'
  type: Item['type']
  status: Status
  content: Payload
  conversation?: Partial<Conversation> & { last_message_at?: string }
}

/** Returns the words of a message for a list. */
export function previewOf({ content, type }: Pick<NewMessage, 'content' | 'type'>): string {
  const words = content['text'] ?? content['caption'] ?? content['body']
  return typeof words === 'string' && words !== '' ? words : `[${type}]`
}

const onNewMessage: Effect = (client, payload) => {
  const message = payload as NewMessage
  const { conversation, contact: _, ...own } = message
  const preview = previewOf(message)
  const { timestamp } = message
  const item = { ...EMPTY, received_at: timestamp, created_at: timestamp, preview, ...own }
  // `Item` is a union by type, which the spread does not keep. `EMPTY` has every field it needs;
  // `own` has those that the event tells.
  addItem(client, item as unknown as Item, own as unknown as Partial<Item>)
  const { id, direction, type, status } = message
  changeConversations(client, message.conversation_id, (known) => ({
    ...known,
    ...(conversation?.state ? { state: conversation.state } : {}),
    ...(conversation?.assigned_to === undefined ? {} : { assigned_to: conversation.assigned_to }),
    ...(conversation?.unread_count === undefined
      ? {}
      : { unread_count: conversation.unread_count }),
    ...(conversation?.bot_active === undefined ? {} : { bot_active: conversation.bot_active }),
    ...windowOf(conversation),
    last_message: { id, direction, type, status, timestamp, preview, error_code: null },
  }))
}

/** The window of a conversation as an event tells it. */
function windowOf(conversation: NewMessage['conversation']): Partial<Conversation> {
  const end = conversation?.window_expires_at
  return end === undefined ? {} : { window_expires_at: end, window_open: end !== null }
}

interface StatusChange extends Payload {
  message_id: string
  status: Status
  error: Pick<NonNullable<Item['error']>, 'code' | 'message' | 'retryable'> | null
  contact_id: string
}

const onStatus: Effect = (client, payload) => {
  const { message_id: id, status, error: cause } = payload as StatusChange
  const error = cause && { platform_code: null, details: null, ...cause }
  changeMessage(client, id, (item) =>
    mayFollow(status, item.status) ? { ...item, status, error: error ?? item.error } : item,
  )
  changeLastMessage(client, id, { status, ...(cause && { error_code: cause.code }) })
}

/** Shows the new state of a message in the lists, if it is the last one of its conversation. */
function changeLastMessage(
  client: QueryClient,
  messageId: string,
  facts: { status: Status; error_code?: string },
): void {
  changeConversations(
    client,
    ({ last_message: last }) => last?.id === messageId,
    (known) =>
      known.last_message && mayFollow(facts.status, known.last_message.status)
        ? { ...known, last_message: { ...known.last_message, ...facts } }
        : known,
  )
}

const onUpdated: Effect = (client, payload) => {
  const { changed: _, contact_id: __, id, ...facts } = payload
  changeMessage(client, String(id), (item) => ({ ...item, ...facts }) as Item)
}

const onReaction: Effect = (client, payload) => {
  const reactions = payload['reactions'] as Item['reactions']
  changeMessage(client, String(payload['message_id']), (item) => ({ ...item, reactions }))
}

const onCall: Effect = (client, payload) => {
  const { direction, state, duration_seconds, recording_media_id } = payload
  const content = { direction, state, duration_seconds, recording_media_id }
  const isKnown = changeMessage(
    client,
    String(payload['id']),
    (item) => ({ ...item, content }) as Item,
  )
  if (!isKnown) invalidateSoon(client, 'thread')
}

/** Effects of events about messages and calls. */
export const MESSAGE_EFFECTS: Record<string, Effect> = {
  'message:new': onNewMessage,
  'message:status': onStatus,
  'message:updated': onUpdated,
  'message:reaction': onReaction,
  'call:updated': onCall,
}
