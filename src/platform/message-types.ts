/** The types of stored messages. */
export const MESSAGE_TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'template',
  'order',
  'system',
  'unsupported',
] as const

/** The types of the items of a thread: messages and calls. */
export const THREAD_TYPES = [...MESSAGE_TYPES, 'call'] as const

/** The delivery statuses of a message. */
export const MESSAGE_STATUSES = [
  'pending',
  'sent',
  'delivered',
  'read',
  'failed',
  'unknown',
] as const
