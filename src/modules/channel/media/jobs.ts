import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'
import { MAX_ATTEMPTS } from './rules'

/**
 * Downloads one incoming file from the platform. The file's row counts the attempts; the job has
 * five more for processes that end during one.
 */
export const DownloadMedia = job('media.download', Type.Object({ mediaId: Type.String() }), {
  queue: 'media',
  maxAttempts: MAX_ATTEMPTS + 5,
})

/** Deletes stored files by their names. */
export const DeleteFiles = job(
  'media.delete-files',
  Type.Object({ names: Type.Array(Type.String()) }),
  { queue: 'default' },
)

/** Deletes unused uploads and files whose retention time is over. */
export const ExpireMedia = job('media.expire', Type.Object({}), { queue: 'default' })

/** Deletes files on disk that belong to nothing. */
export const SweepMedia = job('media.sweep', Type.Object({}), { queue: 'default' })
