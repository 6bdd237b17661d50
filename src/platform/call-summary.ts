const CALL_PREVIEWS: Readonly<Record<string, string>> = {
  'incoming ringing': 'Incoming call',
  'incoming missed': 'Missed call',
  'incoming failed': 'Missed call',
  'outgoing ringing': 'Outgoing call',
  'outgoing missed': 'Unanswered call',
  'outgoing failed': 'Failed call',
}

/** Returns a preview of a call for lists. */
export const callPreview = (direction: 'incoming' | 'outgoing', state: string): string =>
  CALL_PREVIEWS[`${direction} ${state}`] ?? (state === 'rejected' ? 'Declined call' : 'Call')

/**
 * Returns the status of a call in a list of messages: `delivered` for a missed call that nobody has
 * read, `read` for other calls of the customer, and `sent` for calls to the customer.
 */
export function callStatus(call: {
  direction: 'incoming' | 'outgoing'
  state: string
  readAtMs: number | null
}): 'delivered' | 'read' | 'sent' {
  if (call.direction === 'outgoing') return 'sent'
  return call.state === 'missed' && call.readAtMs === null ? 'delivered' : 'read'
}
