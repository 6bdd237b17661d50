import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import type { MediaInfo, MediaView } from './model'
import { hasThumbnail } from './rules'
import type { media } from './table'

/** Database row of a file. */
export type MediaRow = typeof media.$inferSelect

const KINDS: ReadonlySet<string> = new Set<MediaRow['kind']>([
  'image',
  'video',
  'audio',
  'document',
  'sticker',
])

/** Reports whether messages of this type have a file. */
export const isMediaKind = (type: string): type is MediaRow['kind'] => KINDS.has(type)

/** The file of a message. */
export interface MediaSummary {
  id: string
  url: string | null
  mime_type: string | null
  filename: string | null
  size_bytes: number | null
  state: MediaRow['state']
  width: number | null
  height: number | null
  duration_ms: number | null
  thumbnail_url: string | null
}

/** Returns the file of a message; the addresses are `null` until it is stored. */
export const mediaSummary = (row: MediaRow): MediaSummary => ({
  id: row.id,
  url: row.state === 'ready' ? `/api/media/${row.id}` : null,
  mime_type: row.mimeType,
  filename: row.filename,
  size_bytes: row.sizeBytes,
  state: row.state,
  width: row.width,
  height: row.height,
  duration_ms: row.durationMs,
  thumbnail_url: hasThumbnail(row) ? `/api/media/${row.id}/thumbnail` : null,
})

/** Returns a file as the API shows it. */
export const mediaView = (row: MediaRow): MediaView => ({
  id: row.id,
  kind: row.kind,
  mime_type: row.mimeType,
  filename: row.filename,
  size_bytes: row.sizeBytes,
  sha256: row.sha256,
  width: row.width,
  height: row.height,
  duration_ms: row.durationMs,
  state: row.state,
  created_at: isoTime(row.createdAtMs),
  expires_at: isoTimeOrNull(row.expiresAtMs),
})

/** Returns a file with the state of its download. */
export const mediaInfo = (row: MediaRow): MediaInfo => ({
  ...mediaView(row),
  last_error:
    row.lastError === null ? null : (JSON.parse(row.lastError) as MediaInfo['last_error']),
  attempts: row.attempts,
})
