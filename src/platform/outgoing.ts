/** A text to be sent. One of `to` (phone digits) and `recipient` (business-scoped user id) is needed; the phone goes first. */
export interface TextToSend {
  to: string | null
  recipient: string | null
  text: string
  previewUrl: boolean
  /** Platform id of the message quoted. */
  replyTo: string | null
  /** Echoed in every status of this message; our message id. */
  callbackData: string | null
}

/**
 * The platform's body for a text message. Never carries both kinds of address. Line ends become LF, nothing else of the text is
 * touched. Throws TypeError without an address: such a message must not have come this far.
 */
export function textPayload({ to, recipient, text, previewUrl, replyTo, callbackData }: TextToSend): Record<string, unknown> {
  if (to === null && recipient === null) throw new TypeError('A message needs a phone number or a user id to go to.')
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(to === null ? { recipient } : { to }),
    type: 'text',
    text: { preview_url: previewUrl, body: text.replaceAll('\r\n', '\n') },
    ...(replyTo === null ? {} : { context: { message_id: replyTo } }),
    ...(callbackData === null ? {} : { biz_opaque_callback_data: callbackData }),
  }
}
