import { interactivePart } from './interactive'
import type { CardContent, OutgoingContent } from './content'

/**
 * What every message to be sent carries beside its content. One of `to` (phone digits) and
 * `recipient` (user id) is needed; the phone goes first.
 */
export interface Envelope {
  to: string | null
  recipient: string | null
  /** Platform id of the message quoted. */
  replyTo: string | null
  /** Echoed in every status of this message; our message id. */
  callbackData: string | null
}

/** What only the moment of sending knows. */
export interface SendFacts {
  /** Whether a text shows a preview of its first link. */
  previewUrl: boolean
  /**
   * The platform's id of the message's file, of its header's file too; `null` where there is none.
   */
  mediaId: string | null
  /** The platform's part of a template; of other messages nothing. */
  template?: Record<string, unknown> | undefined
}

/**
 * The platform's body for a message. Never carries both kinds of address. Line ends of texts become
 * LF, nothing else of them is touched. Throws TypeError without an address: such a message must not
 * have come this far.
 */
export function messagePayload(
  envelope: Envelope,
  message: OutgoingContent,
  facts: SendFacts,
): Record<string, unknown> {
  const { to, recipient, replyTo, callbackData } = envelope
  if (to === null && recipient === null)
    throw new TypeError('A message needs a phone number or a user id to go to.')
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(to === null ? { recipient } : { to }),
    type: message.type,
    [message.type]: partOf(message, facts),
    ...(replyTo === null ? {} : { context: { message_id: replyTo } }),
    ...(callbackData === null ? {} : { biz_opaque_callback_data: callbackData }),
  }
}

function partOf(message: OutgoingContent, { previewUrl, mediaId, template }: SendFacts): unknown {
  switch (message.type) {
    case 'text':
      return { preview_url: previewUrl, body: message.content.text.replaceAll('\r\n', '\n') }
    case 'image':
    case 'video':
      return { id: mediaId, ...filled({ caption: message.content.caption }) }
    case 'document':
      return {
        id: mediaId,
        ...filled({ caption: message.content.caption, filename: message.content.filename }),
      }
    case 'audio':
      return { id: mediaId, ...(message.content.voice ? { voice: true } : {}) }
    case 'sticker':
      return { id: mediaId }
    case 'location': {
      const { latitude, longitude, name, address } = message.content
      return { latitude, longitude, ...filled({ name, address }) }
    }
    case 'contacts':
      return message.content.contacts.map(cardPart)
    case 'reaction':
      return message.content
    case 'template':
      return template
    case 'interactive':
      return interactivePart(message.content, mediaId)
  }
}

/** Only the members that say something: the platform takes no nulls. */
const filled = (members: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).filter((member): member is [string, string] => member[1] !== null),
  )

function cardPart({
  name,
  phones,
  emails,
  addresses,
  urls,
  org,
  birthday,
}: CardContent): Record<string, unknown> {
  const lists = {
    phones: phones.map(filled),
    emails: emails.map(filled),
    addresses,
    urls: urls.map(filled),
  }
  return {
    name,
    ...Object.fromEntries(Object.entries(lists).filter(([, items]) => items.length > 0)),
    ...(Object.keys(org).length === 0 ? {} : { org }),
    ...filled({ birthday }),
  }
}
