import { fieldSentence, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { KINDS, typeName } from './rules'
import { findVisibleMedia } from './queries'
import type { MediaRow } from './view'

/** Kind of a media message. */
export type SentMediaKind = MediaRow['kind']

/**
 * Returns a file if the caller can see it, it is stored and can be sent as this kind. Throws
 * InvalidError with `path` (default `body.media_id`).
 */
export function requireUsableMedia(
  ctx: Ctx,
  mediaId: string,
  kind: SentMediaKind,
  path = 'body.media_id',
): MediaRow {
  const fileError = (message: string): InvalidError =>
    new InvalidError(fieldSentence(path, message), {
      code: 'invalid_input',
      errors: [{ path, message }],
    })
  const row = findVisibleMedia(ctx, mediaId)
  if (!row) throw fileError('is not a file of this organization')
  if (row.state === 'pending') throw fileError('is a file that is still being downloaded')
  if (row.state !== 'ready') throw fileError('is a file that has been deleted')
  if (!canSendAs(row, kind)) throw fileError(`is a file that cannot be sent as ${kind}`)
  return row
}

/**
 * Reports whether a file can be sent as a kind: any file as a document, otherwise by type and size.
 */
function canSendAs(row: MediaRow, kind: SentMediaKind): boolean {
  const { types, maxBytes } = KINDS[kind]
  return (
    row.kind === kind ||
    ((row.sizeBytes ?? 0) <= maxBytes &&
      (types === null || types.has(typeName(row.mimeType ?? ''))))
  )
}

/**
 * Reports whether a file can be sent as a voice note: ogg with one opus channel (platform
 * documentation).
 */
export const isVoiceNote = (row: MediaRow): boolean =>
  typeName(row.mimeType ?? '') === 'audio/ogg' &&
  /codecs=opus/.test(row.mimeType ?? '') &&
  row.channels === 1
