import { existsSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')
/** Where the compiled program is. */
export const BINARY = join(ROOT, 'dist/switchboard')

/**
 * Builds the binary that people run and says where it is: memory and start are its own, not those
 * of the sources. Throws when it cannot be built.
 */
export function builtBinary(): string {
  const build = Bun.spawnSync(['bun', 'run', 'build'], {
    cwd: ROOT,
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if (!build.success || !existsSync(BINARY)) throw new Error('the binary could not be built')
  return BINARY
}
