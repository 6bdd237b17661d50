import type { StagedFile } from '../../../infra/files/staged-file'
import type { MediaKind } from '../../media/prepare-to-send'
import { LIMITS } from './rules'
import { requiredText, type Report } from '../../../lib/input-problems'

/**
 * The file a message is to carry: one of ours, one that is to be fetched first, or one handed in
 * with the message. One of the three is set.
 */
export interface FileInput {
  kind: MediaKind
  mediaId: string | null
  url: string | null
  staged: StagedFile | null
  /** The name it is to have, where that was said. */
  filename: string | undefined
  /** Where in the body it stands. */
  path: string
  /** Whether it is the template's own, which whoever may send the template may send. */
  isKeptReady?: boolean
}

/** Where a body may name a file. */
export interface FileSource {
  media_id?: string | undefined
  media_url?: string | undefined
  file?: StagedFile | undefined
  filename?: string | undefined
}

/**
 * The one source of a file in a body or a header; `null`, and reported, when there is none or there
 * are several.
 */
export function readSource(
  report: Report,
  path: string,
  kind: MediaKind,
  source: FileSource,
): FileInput | null {
  const { media_id, media_url, file, filename } = source
  const input: FileInput = {
    kind,
    mediaId: null,
    url: null,
    staged: null,
    filename,
    path: `${path}.media_id`,
  }
  if ([media_id, media_url, file].filter((value) => value !== undefined).length > 1) {
    report(
      `${path}.${media_url === undefined ? 'media_id' : 'media_url'}`,
      'cannot be combined with another source of the file',
    )
    return null
  }
  if (media_id !== undefined) return { ...input, mediaId: media_id }
  if (media_url !== undefined)
    return {
      ...input,
      url: requiredText(report, `${path}.media_url`, media_url, LIMITS.url),
      path: `${path}.media_url`,
    }
  if (file !== undefined) return { ...input, staged: file, path: `${path}.file` }
  report(`${path}.media_id`, 'is required unless media_url is sent')
  return null
}
