import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import type { media } from './table'

type MediaRow = typeof media.$inferSelect

const KIB = 1_024
const MIB = 1_024 * KIB

/** Accepted types and maximum size by kind (platform documentation: Media). */
export const KINDS: Readonly<
  Record<MediaRow['kind'], { maxBytes: number; types: ReadonlySet<string> | null }>
> = {
  image: { maxBytes: 5 * MIB, types: new Set(['image/jpeg', 'image/png']) },
  video: { maxBytes: 16 * MIB, types: new Set(['video/mp4', 'video/3gpp']) },
  audio: {
    maxBytes: 16 * MIB,
    types: new Set(['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg']),
  },
  document: { maxBytes: 100 * MIB, types: null },
  sticker: { maxBytes: 500 * KIB, types: new Set(['image/webp']) },
}

/** Limit for static stickers. */
const STILL_STICKER_BYTES = 100 * KIB

/** Returns the maximum size of a kind, bytes. */
export const limitOf = (kind: MediaRow['kind'], isAnimated: boolean): number =>
  kind === 'sticker' && !isAnimated ? STILL_STICKER_BYTES : KINDS[kind].maxBytes

/** Largest incoming file, bytes. */
export const INBOUND_LIMIT_BYTES = 100 * MIB

/** Returns a MIME type without parameters. */
export const essenceOf = (mimeType: string): string =>
  (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase()

/** Aliases of MIME types. */
const TYPE_ALIASES: Readonly<Record<string, string>> = {
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/opus': 'audio/ogg',
  'audio/x-aac': 'audio/aac',
  'audio/aacp': 'audio/aac',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'audio/3gpp': 'video/3gpp',
  'video/x-m4v': 'video/mp4',
  'application/ogg': 'audio/ogg',
  'application/x-pdf': 'application/pdf',
}

/** Returns the canonical MIME type without parameters. */
export const typeName = (mimeType: string): string => {
  const essence = essenceOf(mimeType)
  return TYPE_ALIASES[essence] ?? essence
}

/**
 * Types that are always detected from the first bytes: a file that claims one must have its
 * signature.
 */
const DETECTABLE_TYPES = new Set([
  ...Object.values(KINDS).flatMap(({ types }) => [...(types ?? [])]),
  'application/pdf',
  'image/gif',
  'application/zip',
])

/** Containers that programs confuse with each other. */
const CONTAINERS = new Set(['audio/mp4', 'video/mp4', 'video/3gpp'])

/**
 * Reports whether the claimed type contradicts the bytes. `found` is `null` if no type was
 * detected.
 */
export function contradicts(claimed: string | null, found: string | null): boolean {
  if (claimed === null) return false
  const name = typeName(claimed)
  if (!DETECTABLE_TYPES.has(name) || name === found) return false
  return !(found !== null && CONTAINERS.has(name) && CONTAINERS.has(found))
}

/** Returns the default kind of a type. */
export const kindOf = (found: string | null): MediaRow['kind'] =>
  (['image', 'video', 'audio', 'sticker'] as const).find((kind) =>
    KINDS[kind].types?.has(found ?? ''),
  ) ?? 'document'

/** Types that browsers may display: none can run scripts. */
const INLINE = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'video/mp4',
  'video/3gpp',
  'audio/aac',
  'audio/amr',
  'audio/mpeg',
  'audio/mp4',
  'audio/ogg',
  'application/pdf',
])

/** Reports whether browsers may display the type inline. */
export const isShownInline = (mimeType: string | null): boolean =>
  mimeType !== null && INLINE.has(essenceOf(mimeType))

/** File extensions by type, for files without a name. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'video/mp4': 'mp4',
  'video/3gpp': '3gp',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'application/zip': 'zip',
}

/** Returns the filename, or a default one. */
export const nameOf = (row: Pick<MediaRow, 'filename' | 'kind' | 'mimeType'>): string =>
  row.filename ?? `${row.kind}.${EXTENSIONS[essenceOf(row.mimeType ?? '')] ?? 'bin'}`

/** How long the platform keeps incoming files (platform documentation: Media). */
export const PLATFORM_RETENTION_MS = 7 * DAY_MS

/** Pauses between download attempts, seconds: 20 attempts within 7 days. */
const PAUSES_S = [
  5, 15, 60, 300, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 21_600, 43_200, 43_200, 43_200, 43_200,
  43_200, 43_200, 64_800, 64_800,
]

/** Maximum download attempts. */
export const MAX_ATTEMPTS = PAUSES_S.length + 1

/** Returns the milliseconds until the next attempt, with jitter; `null` after the last one. */
export function pauseBeforeNext(attempts: number, random: () => number): number | null {
  const pauseS = PAUSES_S[attempts - 1]
  return pauseS === undefined ? null : Math.round(pauseS * SECOND_MS * (0.5 + random() / 2))
}

/** Failures in a row before downloads for a phone number pause. */
const BREAK_AFTER_FAILURES = 5
export const MAX_BREAK_MS = 30 * MINUTE_MS

/** Returns the download pause after this many failures in a row, milliseconds; `null` for none. */
export const breakAfterFailuresMs = (failures: number): number | null =>
  failures < BREAK_AFTER_FAILURES
    ? null
    : Math.min(MAX_BREAK_MS, MINUTE_MS * 2 ** (failures - BREAK_AFTER_FAILURES))

/** How long an uploaded file is reused; the platform keeps it for 30 days. */
export const UPLOAD_REUSE_MS = 25 * DAY_MS

/** How long an unused upload is kept. */
export const UNUSED_UPLOAD_RETENTION_MS = DAY_MS

/** Pause before a disconnected phone number is checked again. */
export const DISCONNECTED_PAUSE_MS = HOUR_MS / 6

/** Types of images of which thumbnails are made. */
const THUMBNAIL_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif'])

/** Largest image of which a thumbnail is made. */
export const MAX_THUMBNAIL_PIXELS = 40_000_000
const MAX_THUMBNAIL_SOURCE_BYTES = 16 * MIB

/** Reports whether a file is an image of which a thumbnail can be made. */
export const hasThumbnail = (
  row: Pick<MediaRow, 'state' | 'mimeType' | 'width' | 'height' | 'sizeBytes' | 'isAnimated'>,
): boolean =>
  row.state === 'ready' &&
  !row.isAnimated &&
  THUMBNAIL_TYPES.has(essenceOf(row.mimeType ?? '')) &&
  row.width !== null &&
  row.height !== null &&
  row.width * row.height <= MAX_THUMBNAIL_PIXELS &&
  (row.sizeBytes ?? Infinity) <= MAX_THUMBNAIL_SOURCE_BYTES
