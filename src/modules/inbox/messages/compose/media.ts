import type { StagedFile } from '../../../../infra/files/staged-file'
import type { SentMediaKind } from '../../../channel/media/prepare-to-send'
import { LIMITS } from './rules'
import { requiredText, type Report } from '../../../../lib/input-problems'

/**
 * The file of a message: a stored one, one to download, or an uploaded one. Exactly one source is
 * set.
 */
export interface FileInput {
  kind: SentMediaKind
  mediaId: string | null
  url: string | null
  staged: StagedFile | null
  /** File name, if the request names one. */
  filename: string | undefined
  /** Path of the field in the request body. */
  path: string
  /** Whether it is the template's own file, which everyone who can send the template can send. */
  isKeptReady?: boolean
}

/** Fields of a body that can name a file. */
export interface FileSource {
  media_id?: string | undefined
  media_url?: string | undefined
  file?: StagedFile | undefined
  filename?: string | undefined
}

/**
 * Reads the file of a body or header. Reports a problem and returns `null` if there is no source or
 * more than one.
 */
export function readSource(
  report: Report,
  path: string,
  kind: SentMediaKind,
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
