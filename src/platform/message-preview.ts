import { isObject, listOf, objectOf, wordOf } from './lenient-json'
import type { JsonObject } from './lenient-json'

const MAX_CODE_POINTS = 100

const MEDIA_NAMES: Readonly<Record<string, string>> = {
  image: 'Photo',
  video: 'Video',
  document: 'Document',
  sticker: 'Sticker',
}

/**
 * Returns a preview of a message for lists, at most 100 code points: its text, or the name of its
 * type.
 */
export function messagePreview(type: string, content: object): string {
  return truncate(describe(type, isObject(content) ? content : {}))
}

function describe(type: string, content: JsonObject): string {
  switch (type) {
    case 'text':
      return wordOf(content.text) ?? ''
    case 'image':
    case 'video':
    case 'document':
    case 'sticker':
      return wordOf(content.caption) ?? wordOf(content.filename) ?? MEDIA_NAMES[type] ?? type
    case 'audio':
      return content.voice === true ? 'Voice message' : 'Audio'
    case 'location':
      return wordOf(content.name) ?? wordOf(content.address) ?? 'Location'
    case 'contacts':
      return contactNames(content) || 'Contact'
    case 'interactive':
      return (
        firstWord([content.title, content.body, objectOf(content.body).text]) ??
        interactiveName(content.kind)
      )
    case 'template':
      return firstWord([content.body, content.header, content.name]) ?? 'Template'
    case 'order':
      return `Order (${listOf(content.items).length})`
    case 'system':
      return content.event === 'user_id_changed'
        ? 'New WhatsApp ID'
        : (wordOf(content.text) ?? 'System message')
    default:
      return unsupportedName(content.platform_type)
  }
}

/** Types that carry no more information than `unsupported`. */
const UNSPECIFIC_TYPES = new Set(['unsupported', 'unknown'])

function unsupportedName(platformType: unknown): string {
  const name = wordOf(platformType)
  return name === null || UNSPECIFIC_TYPES.has(name)
    ? 'Unsupported message'
    : `Unsupported message: ${name}`
}

function contactNames(content: JsonObject): string {
  return listOf(content.contacts)
    .map((card) => wordOf(objectOf(objectOf(card).name).formatted_name))
    .filter((name) => name !== null)
    .join(', ')
}

function interactiveName(kind: unknown): string {
  const names: Readonly<Record<string, string>> = {
    flow_reply: 'Form response',
    address_reply: 'Address',
    call_permission_reply: 'Response to a call request',
    product: 'Product',
  }
  return names[wordOf(kind) ?? ''] ?? 'Interactive message'
}

function firstWord(values: readonly unknown[]): string | null {
  for (const value of values) {
    const word = wordOf(value)
    if (word !== null) return word
  }
  return null
}

function truncate(text: string): string {
  // A code point has at most two UTF-16 units, so a long text is never spread completely.
  return [...text.slice(0, MAX_CODE_POINTS * 2)].slice(0, MAX_CODE_POINTS).join('').toWellFormed()
}
