/** A message to mark as read, and whether to show a typing indicator. */
export interface ReadMark {
  /** Platform ID of the message. Earlier messages are marked as read with it. */
  waMessageId: string
  isTyping: boolean
}

/**
 * Builds the request body of a read receipt. The typing indicator disappears after 25 seconds or
 * with the next message.
 */
export const readPayload = ({ waMessageId, isTyping }: ReadMark): Record<string, unknown> => ({
  messaging_product: 'whatsapp',
  status: 'read',
  message_id: waMessageId,
  ...(isTyping ? { typing_indicator: { type: 'text' } } : {}),
})
