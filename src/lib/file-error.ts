/**
 * Describes a file system error in one sentence for the operator. Returns `null` for other errors.
 */
export function fileErrorMessage(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null
  const { code, path, dest } = error as { code: unknown; path?: unknown; dest?: unknown }
  const target = typeof dest === 'string' ? dest : typeof path === 'string' ? path : UNNAMED
  const sentence = SENTENCES[String(code)]
  return sentence ? sentence(target) : `Cannot use ${target} (${String(code)}). Check the disk.`
}

/** Stands for a path in errors that name none, such as those of a write. */
const UNNAMED = 'The file'

const diskOf = (target: string): string =>
  target === UNNAMED ? 'The disk' : `The disk of ${target}`

const user = (): string => `user ${process.getuid?.() ?? 'of this process'}`

const accessDenied = (target: string): string =>
  `${target} is not readable or writable for ${user()}. Change its owner or mode, or run ` +
  'this as a user with access.'

const SENTENCES: Record<string, (target: string) => string> = {
  ENOENT: (target) =>
    `${target} does not exist. Check the path, and create the directory if it is missing.`,
  ENOTDIR: (target) =>
    `${target} leads through a file that is not a directory. Choose another path.`,
  EISDIR: (target) => `${target} is a directory. Name a file.`,
  EEXIST: (target) => `${target} already exists. Remove it, or choose another path.`,
  EACCES: accessDenied,
  EPERM: accessDenied,
  EROFS: (target) =>
    `${target} is on a read-only disk. Choose another path, or make the disk writable.`,
  ENOSPC: (target) => `${diskOf(target)} is full. Free some space, or choose another path.`,
  EDQUOT: (target) =>
    `${diskOf(target)} has no space left for ${user()}. Free some space, or choose ` +
    'another path.',
  ENAMETOOLONG: (target) => `${target} is too long. Choose a shorter path.`,
  ELOOP: (place) => `${place} contains a loop of symbolic links. Choose another path.`,
}
