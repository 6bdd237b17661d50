import { stat } from 'node:fs/promises'

import { AppError } from '../../../lib/errors'
import type { Deps } from '../../../infra/ctx'
import { contentOf, type Content } from './content'
import { hasThumbnail, MAX_THUMBNAIL_PIXELS } from './rules'
import type { MediaRow } from './view'

/** Longest side of a thumbnail in pixels, and its size. */
const SIDE = 320
const MAX_BYTES = 20 * 1_024

/** Longest side and quality of the attempts to make a thumbnail that is small enough. */
const ATTEMPTS = [
  [SIDE, 75],
  [SIDE, 50],
  [SIDE, 25],
  [SIDE / 2, 25],
] as const

/** One image is decoded at a time, because it takes up to 160 MB. */
const DECODER = { name: 'thumbnail', room: () => 1 }

/**
 * Returns the thumbnail of a visible image, made at the first request and kept beside the file.
 * Throws what `contentOf` throws, AppError 404 `no_thumbnail` for other files and unreadable
 * images, and UnavailableError while many others are being made.
 */
export async function thumbnailOf(deps: Deps, row: MediaRow): Promise<Content> {
  const { etag } = await contentOf(deps, row, false)
  if (row.storedAs === null || !hasThumbnail(row)) throw noThumbnail()
  const path = deps.files.thumbnailPathOf(row.storedAs)
  const sizeBytes = (await sizeOf(path)) ?? (await makeThumbnail(deps, row.storedAs))
  return {
    path,
    sizeBytes,
    etag: `${etag.slice(0, -1)}-thumbnail"`,
    mimeType: 'image/webp',
    filename: 'thumbnail.webp',
    isInline: true,
  }
}

const noThumbnail = (): AppError =>
  new AppError(404, 'The file has no thumbnail. Thumbnails exist of images up to 40 megapixels.', {
    code: 'no_thumbnail',
  })

const sizeOf = async (path: string): Promise<number | null> =>
  await stat(path).then(
    ({ size }) => size,
    () => null,
  )

/** Makes and keeps a thumbnail. Returns its size in bytes. */
async function makeThumbnail({ files, thumbnailQueue }: Deps, name: string): Promise<number> {
  const leave = await thumbnailQueue.enter([DECODER])
  try {
    // Another request may have made it while this one waited.
    const known = await sizeOf(files.thumbnailPathOf(name))
    if (known !== null) return known
    const bytes = await shrink(files.pathOf(name))
    await files.keepThumbnail(name, bytes)
    return bytes.length
  } finally {
    leave()
  }
}

/** Returns an image as WebP of at most 20 KiB. The work is done outside of the main thread. */
async function shrink(path: string): Promise<Uint8Array> {
  for (const [side, quality] of ATTEMPTS) {
    const bytes = await new Bun.Image(path, { maxPixels: MAX_THUMBNAIL_PIXELS })
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality })
      .bytes()
      .catch(() => null)
    if (bytes === null) break
    if (bytes.length <= MAX_BYTES) return bytes
  }
  throw noThumbnail()
}
