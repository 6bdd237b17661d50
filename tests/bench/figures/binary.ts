import { existsSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')
const OTHER = process.env['BENCH_BINARY']

/** Where the compiled program is: another one, such as that of an older commit, in `BENCH_BINARY`. */
export const BINARY = OTHER ?? join(ROOT, 'dist/switchboard')

const PROFILES = process.env['BENCH_PROFILE']

/**
 * The server from its sources with a CPU profile that is written into the folder in
 * `BENCH_PROFILE`; `undefined` without one.
 */
export const PROFILED =
  PROFILES === undefined
    ? undefined
    : [process.execPath, '--cpu-prof', `--cpu-prof-dir=${PROFILES}`, join(ROOT, 'src/main.ts')]

/**
 * Builds the binary that people run and says where it is: memory and start are its own, not those
 * of the sources. Throws when it cannot be built.
 */
export function builtBinary(): string {
  if (OTHER !== undefined) return BINARY
  const build = Bun.spawnSync(['bun', 'run', 'build'], {
    cwd: ROOT,
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if (!build.success || !existsSync(BINARY)) throw new Error('the binary could not be built')
  return BINARY
}
