/**
 * A customer's message that was read, and whether the customer is to see that somebody writes an
 * answer.
 */
export interface ReadMark {
  /** The platform's id of the message; earlier ones count as read with it. */
  waMessageId: string
  isTyping: boolean
}

/**
 * The platform's body for a mark of reading; typing is shown for 25 seconds at most, or until
 * something is sent.
 */
export const readPayload = ({ waMessageId, isTyping }: ReadMark): Record<string, unknown> => ({
  messaging_product: 'whatsapp',
  status: 'read',
  message_id: waMessageId,
  ...(isTyping ? { typing_indicator: { type: 'text' } } : {}),
})
