import { imageSize } from 'image-size'

import { typeName } from './rules'
import type { MediaRow } from './view'

/** Facts read from the bytes of a file. */
export type FileFacts = Pick<
  MediaRow,
  'kind' | 'mimeType' | 'width' | 'height' | 'durationMs' | 'channels' | 'isAnimated'
>

/** Bytes read for type, pixel size and animation. */
const HEAD_BYTES = 256 * 1_024

/** Returns the first bytes of a file. */
export const headOf = async (path: string): Promise<Uint8Array> =>
  await Bun.file(path).slice(0, HEAD_BYTES).bytes()

/** Returns dimensions, duration, channels and animation of a file. */
export async function measureFile(
  path: string,
  mimeType: string | null,
): Promise<Omit<FileFacts, 'kind' | 'mimeType'>> {
  const head = await headOf(path)
  const found = mimeType === null ? null : typeName(mimeType)
  return {
    isAnimated: isAnimatedWebp(head),
    ...sizeOf(found, head),
    ...(await readAudioInfo(found, path)),
  }
}

/** Returns a range of bytes as ASCII text. */
export const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to))

/** Reports whether a WebP file has the animation flag. */
export const isAnimatedWebp = (head: Uint8Array): boolean =>
  ascii(head, 0, 4) === 'RIFF' &&
  ascii(head, 8, 16) === 'WEBPVP8X' &&
  ((head[20] ?? 0) & 0x02) !== 0

/** Returns the pixel size of an image; `null` values for other files and unreadable images. */
export function sizeOf(
  found: string | null,
  head: Uint8Array,
): { width: number | null; height: number | null } {
  const nothing = { width: null, height: null }
  if (found === null || !found.startsWith('image/')) return nothing
  try {
    const { width, height } = imageSize(head)
    return { width, height }
  } catch {
    return nothing // a truncated or unusual image is still an image
  }
}

/**
 * Maximum reads to find the duration. A file with millions of empty parts would block the reader
 * for minutes.
 */
const MAX_READS = 50_000

/** A file that throws after `MAX_READS` reads. */
class BoundedFile extends Blob {
  #reads = 0

  constructor(private readonly file: Blob) {
    super([], { type: file.type })
    Object.defineProperty(this, 'size', { value: file.size })
  }

  override slice(start?: number, end?: number): Blob {
    this.#reads += 1
    if (this.#reads > MAX_READS) throw new Error('The file has too many parts.')
    return this.file.slice(start, end)
  }
}

/** Returns duration and channels of audio and video; `null` values if they cannot be read. */
export async function readAudioInfo(
  found: string | null,
  path: string,
): Promise<{ durationMs: number | null; channels: number | null }> {
  const nothing = { durationMs: null, channels: null }
  if (found === null || !/^(?:audio|video)\//.test(found)) return nothing
  const { parseBlob } = await import('music-metadata')
  try {
    const { format } = await parseBlob(new BoundedFile(Bun.file(path, { type: found })), {
      skipCovers: true,
      duration: false,
    })
    const durationMs = format.duration === undefined ? null : Math.round(format.duration * 1_000)
    return { durationMs, channels: format.numberOfChannels ?? null }
  } catch {
    return nothing // likewise
  }
}
