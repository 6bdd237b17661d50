import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { isReleased } from '../../src/release/changelog'

/** Returns what git says in a checkout; a copy without git has no tags. Throws when git fails. */
function git(root: string, ...args: string[]): string {
  if (!existsSync(join(root, '.git'))) return ''
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', ...args], { cwd: root })
  if (exitCode !== 0) throw new Error(stderr.toString())
  return stdout.toString()
}

const hasTag = (root: string, version: string): boolean =>
  git(root, 'tag', '--list', `v${version}`).trim() === `v${version}`

/** Says why what a version has frozen may not change any more, or `null` if it is not released. */
export function whyReleased(root: string, version: string): string | null {
  if (hasTag(root, version)) return `it has the tag v${version}`
  return isReleased(readFileSync(join(root, 'src/CHANGELOG.md'), 'utf8'), version)
    ? 'src/CHANGELOG.md has its date'
    : null
}

/** Returns what differs from its tag in the folders of releases that have one. */
export const changedSinceTags = (root: string): string[] =>
  readdirSync(join(root, 'tests/releases'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && hasTag(root, entry.name))
    .flatMap(({ name }) =>
      git(root, 'diff', '--name-only', `v${name}`, '--', `tests/releases/${name}`).split('\n'),
    )
    .filter((line) => line !== '')
