import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { buildExecutables, OUTPUT, ROOT } from './build'
import { readCommit } from './commit'
import { signAdHoc } from './mach-o'
import type { Target } from './targets'

/** Where the files of a release are written. */
export const RELEASE_FOLDER = join(OUTPUT, 'release')

/** The name of an executable in a release. */
export const fileOf = (target: Target): string => `switchboard-${target}.gz`

/** Builds the executables and compresses them to a third. The same source gives the same bytes. */
export async function buildRelease(targets: Target[]): Promise<void> {
  const unpacked = (target: Target): string => join(OUTPUT, 'targets', target, 'switchboard')
  await buildExecutables(
    targets.map((target) => ({ target, file: unpacked(target) })),
    readCommit(ROOT),
  )
  mkdirSync(RELEASE_FOLDER, { recursive: true })
  for (const target of targets) {
    const built = readFileSync(unpacked(target))
    // Bun signs those for arm64 itself.
    const bytes = target === 'darwin-x64' ? signAdHoc(built, 'switchboard') : built
    await Bun.write(join(RELEASE_FOLDER, fileOf(target)), gzipSync(bytes, { level: 9 }))
  }
  rmSync(join(OUTPUT, 'targets'), { recursive: true })
}
