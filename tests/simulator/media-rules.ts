import { all, exactlyOne, fields, flag, link, text } from './rules'
import type { Rule } from './rules'

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

/** Media by id or by link, with what this kind may carry besides: a caption is refused on audio and stickers. */
export function mediaRule(kind: MediaKind): Rule {
  const id = text(200, { pattern: /^\d+$/ })
  const provider = fields({ open: true })
  return all(fields({ optional: { id, link, provider, ...EXTRAS[kind] } }), exactlyOne('id', 'link'))
}
