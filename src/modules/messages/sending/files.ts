import type { MediaKind } from '../../media/outgoing'
import { LIMITS } from './model'
import { needed, type Report } from './words'

/** The file a message is to carry: one of ours, or one that is to be fetched first. Exactly one of `mediaId` and `url` is set. */
export interface FileAsked {
  kind: MediaKind
  mediaId: string | null
  url: string | null
  /** Where in the body it stands. */
  path: string
}

/** The one source of a file in a body or a header; `null`, and reported, when there is none or there are two. */
export function readSource(
  report: Report,
  path: string,
  kind: MediaKind,
  source: { media_id?: string | undefined; media_url?: string | undefined },
): FileAsked | null {
  const { media_id, media_url } = source
  if (media_id !== undefined && media_url !== undefined) {
    report(`${path}.media_url`, 'goes without media_id; send one of them')
    return null
  }
  if (media_id !== undefined) return { kind, mediaId: media_id, url: null, path: `${path}.media_id` }
  if (media_url === undefined) {
    report(`${path}.media_id`, 'is required, or media_url')
    return null
  }
  return { kind, mediaId: null, url: needed(report, `${path}.media_url`, media_url, LIMITS.url), path: `${path}.media_url` }
}
