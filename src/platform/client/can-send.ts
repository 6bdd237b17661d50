import { wordOf, type JsonObject } from '../lenient-json'

/** Whether a phone number or a Flow can send messages, as the platform reports it. */
export const CAN_SEND = ['AVAILABLE', 'LIMITED', 'BLOCKED'] as const
export type CanSend = (typeof CAN_SEND)[number]

/**
 * Returns the reported ability to send, or `null` if none is reported. A word that is not known
 * counts as `LIMITED`: the reported errors explain it.
 */
export function canSendOf(health: JsonObject): CanSend | null {
  const word = wordOf(health.can_send_message)
  return word === null ? null : (CAN_SEND.find((known) => known === word) ?? 'LIMITED')
}
