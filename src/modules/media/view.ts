import type { media } from './table'

/** A file as its row holds it. */
export type MediaRow = typeof media.$inferSelect

const KINDS: ReadonlySet<string> = new Set<MediaRow['kind']>(['image', 'video', 'audio', 'document', 'sticker'])

/** Whether messages of a type carry a file. */
export const isMediaKind = (type: string): type is MediaRow['kind'] => KINDS.has(type)

/** The file of a message as the message shows it. */
export interface MediaSummary {
  id: string
  url: string | null
  mime_type: string | null
  filename: string | null
  size_bytes: number | null
  state: MediaRow['state']
}

/** The file of a message as the message shows it; its address is there once the bytes are. */
export const mediaSummary = (row: MediaRow): MediaSummary => ({
  id: row.id,
  url: row.state === 'ready' ? `/api/media/${row.id}` : null,
  mime_type: row.mimeType,
  filename: row.filename,
  size_bytes: row.sizeBytes,
  state: row.state,
})
