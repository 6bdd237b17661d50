import {
  envelope,
  newMessageId,
  defaultNumber,
  defaultPerson,
  type About,
  type BusinessNumber,
  type Person,
  type Webhook,
} from './payloads'

const metadataOf = (line: BusinessNumber): Record<string, unknown> => ({
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: line.displayPhoneNumber, phone_number_id: line.phoneNumberId },
})

const present = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

/**
 * A message sent from the business's phone app. `content` holds `type` and the member of that name.
 */
export function echo(content: Record<string, unknown>, about: About = {}): Webhook {
  const line = about.line ?? defaultNumber
  const person = about.person ?? defaultPerson
  const message = present({
    from: line.displayPhoneNumber,
    to: person.waId,
    to_user_id: person.userId,
    id: about.id ?? newMessageId(),
    timestamp: String(about.timestamp ?? 1_790_000_000),
    context: about.context,
    ...content,
  })
  return envelope(
    { ...metadataOf(line), message_echoes: [message] },
    { line, field: 'smb_message_echoes' },
  )
}

/** A text sent from the business's phone app. */
export const echoText = (body: string, about: About = {}): Webhook =>
  echo({ type: 'text', text: { body } }, about)

/** A message from before the number was connected: from the customer, unless `isOurs`. */
export type PastItem = {
  id: string
  timestamp: number
  /** Without it, the message has a file, which `historyFile` brings. */
  body?: string
  isOurs?: boolean
  status?: string
}

/** Message history with one person from before the number was connected. */
export function history(
  person: Person,
  items: PastItem[],
  about: { line?: BusinessNumber; progress?: number } = {},
): Webhook {
  const line = about.line ?? defaultNumber
  const messages = items.map(({ id, timestamp, body, isOurs = false, status }) =>
    present({
      from: isOurs ? line.displayPhoneNumber : person.waId,
      to: isOurs ? person.waId : undefined,
      id,
      timestamp: String(timestamp),
      ...(body === undefined ? { type: 'media_placeholder' } : { type: 'text', text: { body } }),
      history_context: { status: status ?? (isOurs ? 'READ' : 'DELIVERED') },
    }),
  )
  const part = {
    metadata: { phase: 0, chunk_order: 1, progress: about.progress ?? 100 },
    threads: [{ id: person.waId, messages }],
  }
  return envelope({ ...metadataOf(line), history: [part] }, { line, field: 'history' })
}

/**
 * A file of a message in the history, which stands there as a placeholder of the same ID. `content`
 * holds `type` and the member of that name.
 */
export function historyFile(
  content: Record<string, unknown>,
  about: About & { isOurs?: boolean } = {},
): Webhook {
  const line = about.line ?? defaultNumber
  const person = about.person ?? defaultPerson
  const message = present({
    from: about.isOurs === true ? line.displayPhoneNumber : person.waId,
    to: about.isOurs === true ? person.waId : undefined,
    id: about.id ?? newMessageId(),
    timestamp: String(about.timestamp ?? 1_780_000_000),
    ...content,
  })
  const value = { ...metadataOf(line), messages: [message] }
  return envelope(value, { line, field: 'history' })
}

/** Says that the person does not share the history. */
export function historyDeclined(about: { line?: BusinessNumber } = {}): Webhook {
  const line = about.line ?? defaultNumber
  const title = 'History sync is turned off by the business from the WhatsApp Business App'
  const errors = [{ code: 2_593_109, title, message: title, error_data: { details: title } }]
  return envelope({ ...metadataOf(line), history: [{ errors }] }, { line, field: 'history' })
}

/** An address book entry of the business phone: a name, or null if it was removed. */
export function bookEntry(
  waId: string,
  name: string | null,
  about: { line?: BusinessNumber; timestamp?: number } = {},
): Webhook {
  const line = about.line ?? defaultNumber
  const entry = present({
    type: 'contact',
    action: name === null ? 'remove' : 'add',
    contact: present({
      full_name: name ?? undefined,
      first_name: name?.split(' ')[0],
      phone_number: waId,
    }),
    metadata: { timestamp: String(about.timestamp ?? 1_790_000_000) },
  })
  return envelope(
    { ...metadataOf(line), state_sync: [entry] },
    { line, field: 'smb_app_state_sync' },
  )
}

/**
 * A marketing preference of a customer: `stop` or `resume`. `placed` selects where the number ID
 * appears.
 */
export function preference(
  value: string,
  about: About & { placed?: 'value' | 'element' | 'nowhere' } = {},
): Webhook {
  const line = about.line ?? defaultNumber
  const person = about.person ?? defaultPerson
  const { metadata, ...rest } = metadataOf(line)
  const wish = present({
    wa_id: person.waId,
    user_id: person.userId,
    detail: `User requested to ${value} marketing messages`,
    category: 'marketing_messages',
    value,
    timestamp: about.timestamp ?? 1_790_000_000,
    metadata: about.placed === 'element' ? metadata : undefined,
  })
  const outside = (about.placed ?? 'value') === 'value' ? { metadata } : {}
  return envelope(
    { ...rest, ...outside, user_preferences: [wish] },
    { line, field: 'user_preferences' },
  )
}

/** An account or phone number update. `time` in Unix seconds. */
export const accountNews = (
  field: string,
  value: Record<string, unknown>,
  about: { line?: BusinessNumber; time?: number } = {},
): Webhook =>
  envelope(value, { line: about.line ?? defaultNumber, field, time: about.time ?? 1_790_000_000 })
