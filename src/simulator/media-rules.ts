import { all, exactlyOne, fields, flag, isObject, link, text } from './rules'
import type { Problem, Rule } from './rules'

/** Media types of a message. */
export type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker'

const CAPTION = text(1024, { min: 0 })
const EXTRAS: Readonly<Record<MediaKind, Record<string, Rule>>> = {
  image: { caption: CAPTION },
  video: { caption: CAPTION },
  document: { caption: CAPTION, filename: text(1024) },
  audio: { voice: flag },
  sticker: {},
}

/**
 * Media by ID or by link, with the members this kind allows. Captions are rejected on audio and
 * stickers.
 */
export function mediaRule(kind: MediaKind): Rule {
  const id = text(200, { pattern: /^\d+$/ })
  const provider = fields({ open: true })
  return all(
    fields({ optional: { id, link, provider, ...EXTRAS[kind] } }),
    exactlyOne('id', 'link'),
  )
}

/** MIME types accepted per kind (platform document 3). Documents accept all. */
const TYPES: Readonly<Record<MediaKind, readonly string[] | null>> = {
  image: ['image/jpeg', 'image/png'],
  video: ['video/mp4', 'video/3gpp'],
  audio: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'],
  document: null,
  sticker: ['image/webp'],
}

const isMediaKind = (kind: unknown): kind is MediaKind =>
  typeof kind === 'string' && Object.hasOwn(TYPES, kind)

/**
 * Returns why a file referenced anywhere in a message is rejected: it was not uploaded for the
 * number, or its type does not fit the kind (131053). `mimeOf` returns the MIME type of an upload.
 */
export function fileProblem(
  part: unknown,
  kind: string | null,
  mimeOf: (id: string) => string | undefined,
): Problem | undefined {
  if (Array.isArray(part)) return firstOf(part, (element) => fileProblem(element, null, mimeOf))
  if (!isObject(part)) return undefined
  if (isMediaKind(kind)) return problemOf(part, kind, mimeOf)
  return firstOf(Object.entries(part), ([name, member]) =>
    fileProblem(member, name === 'gif' ? 'video' : name, mimeOf),
  )
}

function firstOf<T>(
  items: readonly T[],
  problemIn: (item: T) => Problem | undefined,
): Problem | undefined {
  for (const item of items) {
    const problem = problemIn(item)
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemOf(
  file: Record<string, unknown>,
  kind: MediaKind,
  mimeOf: (id: string) => string | undefined,
): Problem | undefined {
  const { id } = file
  if (typeof id !== 'string') return undefined
  const mime = mimeOf(id)?.split(';')[0]?.trim().toLowerCase()
  if (mime === undefined)
    return {
      code: 131053,
      details: `Param ${kind}['id'] is not a valid whatsapp business account media attachment ID`,
    }
  const taken = TYPES[kind]
  const isVoice = file['voice'] === true
  const isRight = (taken === null || taken.includes(mime)) && (!isVoice || mime === 'audio/ogg')
  return isRight
    ? undefined
    : {
        code: 131053,
        details: `${kind}: a file of type ${mime} is not supported${isVoice ? ' as a voice message' : ''}.`,
      }
}
