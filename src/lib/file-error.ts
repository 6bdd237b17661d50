/**
 * Describes a file system error in one sentence for the operator. Returns `null` for other errors.
 */
export function fileErrorMessage(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null
  const { code, path, dest } = error as { code: unknown; path?: unknown; dest?: unknown }
  const place =
    typeof dest === 'string' ? dest : typeof path === 'string' ? path : 'The file that was named'
  const sentence = SENTENCES[String(code)]
  return sentence ? sentence(place) : `Cannot use ${place} (${String(code)}). Check the disk.`
}

const user = (): string => `user ${process.getuid?.() ?? 'of this process'}`

const refused = (place: string): string =>
  `${place} is not readable or writable for ${user()}. Change its owner or mode, or run ` +
  'this as a user with access.'

const SENTENCES: Record<string, (place: string) => string> = {
  ENOENT: (place) => `${place} does not exist. Create its directory, or choose another path.`,
  ENOTDIR: (place) => `${place} leads through a file that is not a directory. Choose another path.`,
  EISDIR: (place) => `${place} is a directory. Name a file.`,
  EEXIST: (place) => `${place} already exists. Remove it, or choose another path.`,
  EACCES: refused,
  EPERM: refused,
  EROFS: (place) =>
    `${place} is on a read-only disk. Choose another path, or make the disk writable.`,
  ENOSPC: (place) => `The disk of ${place} is full. Free some space, or choose another path.`,
  EDQUOT: (place) =>
    `The disk of ${place} has no space left for ${user()}. Free some space, or choose ` +
    'another path.',
  ENAMETOOLONG: (place) => `${place} is too long. Choose a shorter path.`,
  ELOOP: (place) => `${place} contains a loop of symbolic links. Choose another path.`,
}
