/** The archive cannot be written now. The message is one sentence for the person who asked. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

const FULL = 'There is not enough disk space for the archive.'

/** The disk space that must remain is not there. */
export const diskFull = (): ArchiveError => new ArchiveError(FULL)

/** Returns the sentence for the person who asked; `null` for an error of the program. */
export function problemOf(error: unknown): string | null {
  if (error instanceof ArchiveError) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'ENOSPC' || code === 'EDQUOT' ? FULL : null
}
