import { shownFilename } from '../../lib/filename'
import { readInteractive, readTemplateButton } from './interactive'
import {
  cleanJson,
  flagOf,
  isObject,
  listOf,
  numberOf,
  objectOf,
  textOf,
  wordOf,
} from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import type { InboundMessage } from './body'
import { messagePreview } from '../message-preview'
import { phoneDigitsOf, userIdOf } from './sender'
import { nameInVcard } from '../vcard'

export { messagePreview }

/** A media file that the platform stores for seven days. Fetched with the number's token. */
export interface MediaRef {
  platformMediaId: string
  mimeType: string | null
  filename: string | null
  /** Base64, as the platform sends it. */
  sha256: string | null
  sizeBytes: number | null
}

/** A message in the API's format: its type, its content as stored and shown, and its file. */
export interface ReadContent {
  type: string
  content: JsonObject
  media: MediaRef | null
}

type Reader = (
  message: InboundMessage,
) => { type?: string; content: JsonObject; media?: MediaRef | null } | null

const READERS: Readonly<Record<string, Reader>> = {
  text: ({ raw }) => ({ content: { text: textOf(objectOf(raw.text).body) ?? '' } }),
  image: (message) => readMedia(message, 'image'),
  video: (message) => readMedia(message, 'video'),
  document: (message) => readMedia(message, 'document'),
  audio: (message) =>
    readMedia(message, 'audio', { voice: flagOf(objectOf(message.raw.audio).voice) }),
  voice: (message) => ({ ...readMedia(message, 'voice', { voice: true }), type: 'audio' }),
  sticker: (message) =>
    readMedia(message, 'sticker', { animated: flagOf(objectOf(message.raw.sticker).animated) }),
  location: ({ raw }) => readLocation(objectOf(raw.location)),
  contacts: ({ raw }) =>
    Array.isArray(raw.contacts)
      ? { content: { contacts: listOf(raw.contacts).map(readCard) } }
      : null,
  button: ({ raw }) => ({ type: 'interactive', content: readTemplateButton(raw.button) }),
  interactive: ({ raw }) => ({ content: readInteractive(raw.interactive) }),
  order: ({ raw }) => (isObject(raw.order) ? { content: readOrder(raw.order) } : null),
  system: (message) => ({ content: readSystem(message) }),
}

/**
 * Converts a platform message to our type and content (spec 6.1). Unknown or incomplete messages
 * become `unsupported` and keep the raw item. So do reactions, edits and revokes, which are not
 * messages. Never throws. Texts are unchanged except for NUL and lone surrogates. Errors reported
 * with a message become its `errors`.
 */
export function readContent(message: InboundMessage): ReadContent {
  const read = Object.hasOwn(READERS, message.type)
    ? (READERS[message.type]?.(message) ?? null)
    : null
  if (read === null) return { type: 'unsupported', content: unsupported(message), media: null }
  const content =
    message.errors.length === 0 ? read.content : { ...read.content, errors: message.errors }
  return {
    type: read.type ?? message.type,
    content: objectOf(cleanJson(content)),
    media: read.media ?? null,
  }
}

/**
 * A message that neither the platform nor this server can read. The platform names the undelivered
 * type in `unsupported.type`.
 */
function unsupported({ type, errors, raw }: InboundMessage): JsonObject {
  return {
    platform_type: wordOf(objectOf(raw.unsupported).type) ?? type,
    text: null,
    errors,
    raw: cleanJson(raw),
  }
}

function readMedia(
  { raw }: InboundMessage,
  member: string,
  extra: JsonObject = {},
): { content: JsonObject; media: MediaRef | null } {
  const file = objectOf(raw[member])
  const platformMediaId = wordOf(file.id)
  const facts = {
    mimeType: wordOf(file.mime_type),
    filename: shownFilename(wordOf(file.filename)),
    sha256: wordOf(file.sha256),
    sizeBytes: numberOf(file.file_size),
  }
  return {
    content: {
      caption: textOf(file.caption),
      mime_type: facts.mimeType,
      filename: facts.filename,
      sha256: facts.sha256,
      size_bytes: facts.sizeBytes,
      ...extra,
    },
    media: platformMediaId === null ? null : { platformMediaId, ...facts },
  }
}

/** A location. Unreadable coordinates are `null`. */
function readLocation({ latitude, longitude, name, address, url }: JsonObject): {
  content: JsonObject
} {
  return {
    content: {
      latitude: numberOf(latitude),
      longitude: numberOf(longitude),
      name: textOf(name),
      address: textOf(address),
      url: textOf(url),
    },
  }
}

/**
 * A shared contact card. A missing name is taken from its vCard, otherwise from its phone numbers
 * (cards from 2026 on may lack it).
 */
function readCard(card: unknown): JsonObject {
  const { name, phones, emails, addresses, urls, org, birthday, origin, vcard } = objectOf(card)
  const numbers = listOf(phones)
    .filter(isObject)
    .map((phone) => ({
      phone: textOf(phone.phone) ?? textOf(phone.wa_id),
      type: wordOf(phone.type),
      wa_id: wordOf(phone.wa_id),
    }))
  const parts = objectOf(name)
  const spoken = [parts.first_name, parts.middle_name, parts.last_name]
    .map(wordOf)
    .filter((part) => part !== null)
  const written = textOf(vcard)
  const called =
    wordOf(parts.formatted_name) ??
    (spoken.join(' ') ||
      (written === null ? null : nameInVcard(written)) ||
      numbers.map(({ phone }) => phone).join(', '))
  return {
    name: { ...parts, formatted_name: called },
    phones: numbers,
    emails: listOf(emails).filter(isObject),
    addresses: listOf(addresses).filter(isObject),
    urls: listOf(urls).filter(isObject),
    org: objectOf(org),
    birthday: wordOf(birthday),
    origin: wordOf(origin),
    vcard: written,
  }
}

/**
 * An order with its total. Missing values are `null`, as is a total that depends on them or mixes
 * currencies.
 */
function readOrder(order: JsonObject): JsonObject {
  const items = listOf(order.product_items)
    .map(objectOf)
    .map((item) => ({
      product_retailer_id: wordOf(item.product_retailer_id),
      quantity: numberOf(item.quantity),
      item_price: numberOf(item.item_price),
      currency: wordOf(item.currency),
    }))
  const currencies = new Set(items.map((item) => item.currency))
  const [currency = null] = currencies
  return {
    catalog_id: wordOf(order.catalog_id),
    text: textOf(order.text) || null,
    items,
    total: currencies.size === 1 ? totalOf(items) : null,
    currency: currencies.size > 1 ? null : currency,
  }
}

/** Returns the sum of an order, or `null` if a quantity or price is unknown. */
function totalOf(items: { quantity: number | null; item_price: number | null }[]): number | null {
  let total = 0
  for (const { quantity, item_price: price } of items) {
    if (quantity === null || price === null) return null
    total += quantity * price
  }
  // Rounds binary fractions such as 0.30000000000000004. No currency has more than four decimals.
  return Math.round(total * 10_000) / 10_000
}

const SYSTEM_EVENTS: Readonly<Record<string, SystemChange['event']>> = {
  user_changed_number: 'number_changed',
  customer_changed_number: 'number_changed',
  user_changed_user_id: 'user_id_changed',
  customer_identity_changed: 'identity_changed',
  user_identity_changed: 'identity_changed',
}

/** A change of a person's identity, reported by a system message. */
export interface SystemChange {
  event: 'number_changed' | 'user_id_changed' | 'identity_changed' | 'other'
  /** New phone digits. Also sent with a new user ID. */
  newPhone: string | null
  newUserId: string | null
  newParentUserId: string | null
  identityHash: string | null
}

/** Returns the identity change of a system message, or `null` for any other message. */
export function systemChangeOf({
  type,
  raw,
}: Pick<InboundMessage, 'type' | 'raw'>): SystemChange | null {
  if (type !== 'system') return null
  const system = objectOf(raw.system)
  const identity = isObject(raw.identity) ? raw.identity : objectOf(system.identity)
  const word =
    wordOf(system.type) ?? (wordOf(identity.hash) === null ? '' : 'customer_identity_changed')
  return {
    event: Object.hasOwn(SYSTEM_EVENTS, word) ? (SYSTEM_EVENTS[word] ?? 'other') : 'other',
    newPhone: phoneDigitsOf(system.wa_id) ?? phoneDigitsOf(system.new_wa_id),
    newUserId: userIdOf(system.user_id) ?? userIdOf(system.wa_id),
    newParentUserId: userIdOf(system.parent_user_id),
    identityHash: wordOf(identity.hash),
  }
}

function readSystem(message: InboundMessage): JsonObject {
  const change = systemChangeOf(message)
  const text = textOf(objectOf(message.raw.system).body)
  switch (change?.event) {
    case 'number_changed':
      return { event: change.event, text, old: message.from, new: change.newPhone }
    case 'user_id_changed':
      return { event: change.event, text, old: message.userId, new: change.newUserId }
    case 'identity_changed':
      return { event: change.event, text, old: null, new: change.identityHash }
    default:
      return { event: 'other', text, old: null, new: null }
  }
}
