import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock'
import type { media } from './table'

type MediaRow = typeof media.$inferSelect

const KIB = 1_024
const MIB = 1_024 * KIB

/**
 * What may be sent as a kind, by type of its bytes, and how large it may be (platform
 * documentation: Media).
 */
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

/** A sticker that does not move is smaller. */
const STILL_STICKER_BYTES = 100 * KIB

/** The largest file of a kind, bytes. */
export const limitOf = (kind: MediaRow['kind'], isAnimated: boolean): number =>
  kind === 'sticker' && !isAnimated ? STILL_STICKER_BYTES : KINDS[kind].maxBytes

/** The largest file that is fetched from the platform, bytes. */
export const INBOUND_LIMIT_BYTES = 100 * MIB

/** A type without its parameters. */
export const essenceOf = (mimeType: string): string =>
  (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase()

/** Other names of types, as programs write them. */
const SAME_AS: Readonly<Record<string, string>> = {
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

/** One name for a type, without parameters. */
export const typeName = (mimeType: string): string => {
  const essence = essenceOf(mimeType)
  return SAME_AS[essence] ?? essence
}

/**
 * Types that their first bytes give away for certain: whoever claims one of them must have brought
 * it.
 */
const TELLTALE = new Set([
  ...Object.values(KINDS).flatMap(({ types }) => [...(types ?? [])]),
  'application/pdf',
  'image/gif',
  'application/zip',
])

/** Containers that hold sound or pictures under one name: programs mix them up. */
const CONTAINERS = new Set(['audio/mp4', 'video/mp4', 'video/3gpp'])

/**
 * Whether what a file claims to be contradicts its bytes. `found` is `null` when the bytes give
 * nothing away.
 */
export function contradicts(claimed: string | null, found: string | null): boolean {
  if (claimed === null) return false
  const name = typeName(claimed)
  if (!TELLTALE.has(name) || name === found) return false
  return !(found !== null && CONTAINERS.has(name) && CONTAINERS.has(found))
}

/** What a file of this type is sent as, when nobody says. */
export const kindOf = (found: string | null): MediaRow['kind'] =>
  (['image', 'video', 'audio', 'sticker'] as const).find((kind) =>
    KINDS[kind].types?.has(found ?? ''),
  ) ?? 'document'

/** Types a browser may show by itself: none of them runs anything. */
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

/** Whether a browser may show a file of this type instead of saving it. */
export const isShownInline = (mimeType: string | null): boolean =>
  mimeType !== null && INLINE.has(essenceOf(mimeType))

/** Endings of file names by type, for files without a name. */
const ENDINGS: Readonly<Record<string, string>> = {
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

/** A name for a file whose sender gave it none. */
export const nameOf = (row: Pick<MediaRow, 'filename' | 'kind' | 'mimeType'>): string =>
  row.filename ?? `${row.kind}.${ENDINGS[essenceOf(row.mimeType ?? '')] ?? 'bin'}`

/** The platform keeps incoming files for so long (platform documentation: Media). */
export const PLATFORM_KEEPS_MS = 7 * DAY_MS

/** Pauses between the attempts to fetch a file, seconds: twenty attempts within seven days. */
const PAUSES_S = [
  5, 15, 60, 300, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 21_600, 43_200, 43_200, 43_200, 43_200,
  43_200, 43_200, 64_800, 64_800,
]

/** Attempts to fetch one file. */
export const MAX_ATTEMPTS = PAUSES_S.length + 1

/**
 * Milliseconds until the next attempt after `attempts`; drawn from the upper half of the pause, so
 * that many do not come at once. `null`: no more.
 */
export function pauseBeforeNext(attempts: number, random: () => number): number | null {
  const pauseS = PAUSES_S[attempts - 1]
  return pauseS === undefined ? null : Math.round(pauseS * SECOND_MS * (0.5 + random() / 2))
}

/** After so many failures in a row nothing is fetched for a number for a while. */
const BREAKS_AFTER = 5
export const MAX_BREAK_MS = 30 * MINUTE_MS

/**
 * How long nothing is fetched for a number after so many failures in a row, milliseconds; `null`
 * while there are few.
 */
export const breakAfter = (failures: number): number | null =>
  failures < BREAKS_AFTER
    ? null
    : Math.min(MAX_BREAK_MS, MINUTE_MS * 2 ** (failures - BREAKS_AFTER))

/** The platform keeps what we upload for thirty days; its id is used for this long. */
export const UPLOAD_GOOD_MS = 25 * DAY_MS

/** An upload nobody sends is removed after this. */
export const UNUSED_KEPT_MS = DAY_MS

/** A number that is disconnected is looked at again after this. */
export const DISCONNECTED_PAUSE_MS = HOUR_MS / 6
