import type { ZipFile } from 'yazl'

import { AppError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import type { FileOfMessage } from './message-data'
import type { PrivacyCounts } from './requests'

/** A stored file exists but cannot be read. The message is shown in the request. */
class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'

  constructor({ mediaId }: FileOfMessage, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    super(
      `The stored file of media ${mediaId} cannot be read${code}. Ask the operator to check the ` +
        'media folder in the data directory, then start a new export.',
      { cause },
    )
  }
}

const MISSING =
  'The stored file no longer exists on the server, so this export does not contain it.'

/**
 * Adds media files to the archive, and `missing-files.json` if some no longer exist. A file that
 * disappears between this check and its reading fails the job; the next attempt finds it missing.
 * Throws UnreadableFileError.
 */
export async function addFiles(
  zip: ZipFile,
  { files }: Pick<Ctx, 'files'>,
  { wanted, counts }: { wanted: FileOfMessage[]; counts: PrivacyCounts },
): Promise<void> {
  const missing: FileOfMessage[] = []
  for (const file of wanted)
    if (await isThere(files, file))
      zip.addFile(files.pathOf(file.storedAs), file.name, { compress: false })
    else missing.push(file)
  counts['files'] = wanted.length - missing.length
  if (missing.length === 0) return
  counts['missing_files'] = missing.length
  const listed = missing.map(({ name, mediaId }) => ({
    ...{ file: name, media_id: mediaId, reason: MISSING },
  }))
  zip.addBuffer(Buffer.from(`${JSON.stringify(listed, null, 2)}\n`), 'missing-files.json')
}

async function isThere(files: Ctx['files'], file: FileOfMessage): Promise<boolean> {
  try {
    return await files.has(file.storedAs)
  } catch (error) {
    throw new UnreadableFileError(file, error)
  }
}

const INTERNAL =
  'The export failed because of an internal error. Start a new one. If it fails again, ask the ' +
  'operator to look for the failed job in the server log.'

/** Returns the sentence shown in a failed request. */
export const reasonOf = (error: unknown): string =>
  error instanceof UnreadableFileError || error instanceof AppError ? error.message : INTERNAL

/** Returns the error to report when writing the archive fails: it names a file that caused it. */
export function archiveError(
  error: unknown,
  files: Ctx['files'],
  wanted: Iterable<FileOfMessage>,
): Error {
  if (error instanceof Error && 'path' in error)
    for (const file of wanted)
      if (files.pathOf(file.storedAs) === error.path) return new UnreadableFileError(file, error)
  return error instanceof Error ? error : new Error(String(error))
}
