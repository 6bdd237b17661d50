import { dialed } from '../dialed'
import { buildInteractive } from './interactive'
import type { CardContent, OutgoingContent } from './content'

/**
 * Fields of every outgoing message besides its content. Requires `to` (phone digits) or `recipient`
 * (user ID); the platform prefers `to`.
 */
export interface Envelope {
  to: string | null
  recipient: string | null
  /** Platform ID of the quoted message. */
  replyTo: string | null
  /** Our message ID. The platform repeats it in every status of this message. */
  callbackData: string | null
  /** The messaging account that pays; `null` leaves it to the platform. */
  messagingAccountId: string | null
}

/** Facts that are known only at send time. */
export interface SendFacts {
  /** Whether to show a preview of the first link in a text. */
  previewUrl: boolean
  /**
   * Whether to send it outside of the 24-hour window without a template of ours, as a utility message
   * (Direct Send). It has no link preview.
   */
  isDirect?: boolean
  /** Platform ID of the message's file or header file; `null` without a file. */
  mediaId: string | null
  /** Returns the platform ID of a file of a card. */
  idOf?: ((mediaId: string) => string | null) | undefined
  /** The platform's `template` object of a template message. */
  template?: Record<string, unknown> | undefined
}

/**
 * Builds the platform's request body for a message, with one of the two recipient fields.
 * Normalizes line ends to LF and leaves texts otherwise unchanged. Throws TypeError without a
 * recipient, which is a bug in the caller.
 */
export function messagePayload(
  envelope: Envelope,
  message: OutgoingContent,
  facts: SendFacts,
): Record<string, unknown> {
  const { to, recipient, replyTo, callbackData, messagingAccountId } = envelope
  if (to === null && recipient === null)
    throw new TypeError('A message needs a phone number or a user ID as recipient.')
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(to === null ? { recipient } : { to: dialed(to) }),
    type: message.type,
    [message.type]: buildContent(message, facts),
    ...(facts.isDirect === true ? { category: 'utility' } : {}),
    ...(replyTo === null ? {} : { context: { message_id: replyTo } }),
    ...(callbackData === null ? {} : { biz_opaque_callback_data: callbackData }),
    ...(messagingAccountId === null ? {} : { messaging_account_id: messagingAccountId }),
  }
}

function buildContent(
  message: OutgoingContent,
  { previewUrl, isDirect = false, mediaId, idOf, template }: SendFacts,
): unknown {
  switch (message.type) {
    case 'text':
      return {
        ...(isDirect ? {} : { preview_url: previewUrl }),
        body: message.content.text.replaceAll('\r\n', '\n'),
      }
    case 'image':
    case 'video':
      return { id: mediaId, ...withoutNulls({ caption: message.content.caption }) }
    case 'document':
      return {
        id: mediaId,
        ...withoutNulls({ caption: message.content.caption, filename: message.content.filename }),
      }
    case 'audio':
      return { id: mediaId, ...(message.content.voice ? { voice: true } : {}) }
    case 'sticker':
      return { id: mediaId }
    case 'location': {
      const { latitude, longitude, name, address } = message.content
      return { latitude, longitude, ...withoutNulls({ name, address }) }
    }
    case 'contacts':
      return message.content.contacts.map(buildCard)
    case 'reaction':
      return message.content
    case 'template':
      return template
    case 'interactive':
      return buildInteractive(message.content, { mediaId, idOf })
  }
}

/** Drops null members, which the platform rejects. */
const withoutNulls = (members: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).filter((member): member is [string, string] => member[1] !== null),
  )

function buildCard({
  name,
  phones,
  emails,
  addresses,
  urls,
  org,
  birthday,
}: CardContent): Record<string, unknown> {
  const lists = {
    phones: phones.map(withoutNulls),
    emails: emails.map(withoutNulls),
    addresses,
    urls: urls.map(withoutNulls),
  }
  return {
    name,
    ...Object.fromEntries(Object.entries(lists).filter(([, items]) => items.length > 0)),
    ...(Object.keys(org).length === 0 ? {} : { org }),
    ...withoutNulls({ birthday }),
  }
}
