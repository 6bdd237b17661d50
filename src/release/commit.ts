import type { Commit } from '../version'

/**
 * Returns the commit that is checked out in a folder. A hash that ends in `-modified` says that
 * files differ from it. `null` without git, and for an archive of the source, which may lie in the
 * repository of something else.
 */
export function readCommit(folder: string): Commit | null {
  const git = (...args: string[]): string | null => {
    try {
      const run = Bun.spawnSync(['git', '--no-optional-locks', '-C', folder, ...args], {
        stderr: 'ignore',
      })
      return run.exitCode === 0 ? run.stdout.toString().trim() : null
    } catch {
      return null // not installed
    }
  }
  if (git('rev-parse', '--show-prefix') !== '') return null
  const [hash, time] = git('log', '-1', '--format=%H %ct')?.split(' ') ?? []
  if (hash === undefined || time === undefined) return null
  const isModified = git('status', '--porcelain', '--untracked-files=no') !== ''
  return commitOf(isModified ? `${hash}-modified` : hash, new Date(Number(time) * 1_000))
}

/** Returns the commit that somebody names who has no repository at hand, as in a container. */
export const commitOf = (hash: string, time: Date): Commit => ({
  hash,
  committedAt: time.toISOString(),
})
