import { all, exactlyOne, fields, flag, isObject, link, text } from './rules'
import type { Problem, Rule } from './rules'

/** The media a message can carry. */
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
 * Media by id or by link, with what this kind may carry besides: a caption is refused on audio and
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

/**
 * What the platform takes as each kind (platform document 3); as a document it takes everything.
 */
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
 * Why the platform would not send a file that a message names by id, wherever it stands in the
 * part: it was not uploaded for the number, or its type is not one of the kind's (131053). `mimeOf`
 * tells the type a file was uploaded with.
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
