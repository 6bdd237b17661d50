import { AppError, ConflictError } from '../../../lib/errors'
import type { Deps } from '../../../infra/ctx'
import { isShownInline, nameOf } from './rules'
import type { MediaRow } from './view'

/** A readable file with its response headers. */
export interface Content {
  path: string
  sizeBytes: number
  etag: string
  mimeType: string
  filename: string
  isInline: boolean
}

const RETRY_AFTER_S = 5

/**
 * Returns the path and response headers of a file; `isSaved` forces a download. Throws
 * ConflictError `media_pending` while it is fetched, and 404 `media_failed` or `media_expired` if
 * it is not available.
 */
export async function contentOf(
  deps: Pick<Deps, 'files'>,
  row: MediaRow,
  isSaved: boolean,
): Promise<Content> {
  if (row.state === 'pending')
    throw new ConflictError(
      'The file is still being downloaded from the platform. Try again shortly.',
      {
        code: 'media_pending',
        headers: { 'retry-after': String(RETRY_AFTER_S) },
      },
    )
  if (row.state === 'failed')
    throw new AppError(404, 'The file could not be downloaded from the platform.', {
      code: 'media_failed',
    })
  if (
    row.state === 'expired' ||
    row.storedAs === null ||
    row.sha256 === null ||
    !(await deps.files.has(row.storedAs))
  )
    throw new AppError(404, 'The file has been deleted.', { code: 'media_expired' })
  return {
    path: deps.files.pathOf(row.storedAs),
    sizeBytes: row.sizeBytes ?? 0,
    etag: `"${row.sha256}"`,
    mimeType: row.mimeType ?? 'application/octet-stream',
    filename: nameOf(row),
    isInline: !isSaved && isShownInline(row.mimeType),
  }
}
