/**
 * Describes a file system error in one sentence for the operator. Returns `null` for other errors.
 */
export function fileErrorMessage(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null
  const { code, path, dest } = error as { code: unknown; path?: unknown; dest?: unknown }
  const place =
    typeof dest === 'string' ? dest : typeof path === 'string' ? path : 'The file that was named'
  const sentence = SENTENCES[String(code)]
  return sentence
    ? sentence(place)
    : `${place} cannot be used (${String(code)}): see whether its disk is well.`
}

const user = (): string => `user ${process.getuid?.() ?? 'of this process'}`

const refused = (place: string): string =>
  `${place} may not be read or written by ${user()}: change its owner or mode, or run this as a user who may.`

const SENTENCES: Record<string, (place: string) => string> = {
  ENOENT: (place) => `${place} does not exist: make its folder, or name another path.`,
  ENOTDIR: (place) => `${place} leads through a file that is not a folder: name another path.`,
  EISDIR: (place) => `${place} is a folder: name a file.`,
  EEXIST: (place) => `${place} exists already: remove it, or name another path.`,
  EACCES: refused,
  EPERM: refused,
  EROFS: (place) =>
    `${place} lies on a disk that is read-only: name another path, or make the disk writable.`,
  ENOSPC: (place) => `The disk of ${place} is full: make room, or name another path.`,
  EDQUOT: (place) =>
    `The disk of ${place} has no room left for ${user()}: make room, or name another path.`,
  ENAMETOOLONG: (place) => `${place} is too long: name another path.`,
  ELOOP: (place) => `${place} leads in a circle of links: name another path.`,
}
