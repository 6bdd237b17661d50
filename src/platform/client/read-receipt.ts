/** A message to mark as read, and whether to show a typing indicator. */
export interface ReadReceipt {
  /** Platform ID of the message. Earlier messages are marked as read with it. */
  waMessageId: string
  isTyping: boolean
}

/**
 * Builds the request body of a read receipt. The typing indicator disappears after 25 seconds or
 * with the next message.
 */
export const readReceiptPayload = ({
  waMessageId,
  isTyping,
}: ReadReceipt): Record<string, unknown> => ({
  messaging_product: 'whatsapp',
  status: 'read',
  message_id: waMessageId,
  ...(isTyping ? { typing_indicator: { type: 'text' } } : {}),
})
