import { safeFilename } from '../../lib/filename'
import { readInteractive, readTemplateButton } from './interactive'
import {
  cleanJson,
  flagOf,
  isObject,
  listOf,
  numberOf,
  objectOf,
  sizeOf,
  textOf,
  mimeTypeOf,
  wordOf,
} from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import type { InboundMessage } from './messages'
import { messagePreview } from '../message-preview'
import { readSystem } from './system-change'
import { readCard } from './contact-card'
import { readOrder } from './order'

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
    mimeType: mimeTypeOf(file.mime_type),
    filename: safeFilename(wordOf(file.filename)),
    sha256: wordOf(file.sha256),
    sizeBytes: sizeOf(file.file_size),
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
