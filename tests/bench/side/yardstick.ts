import { join } from 'node:path'

const SOURCE = join(import.meta.dir, 'yardstick-process.ts')
const PROGRAM = join(import.meta.dir, '../../../dist/yardstick')

/** Compiles the yardstick as the server is. Throws when it cannot be built. */
export function buildYardstick(): void {
  const options = ['--compile', '--minify', '--bytecode', '--format=esm']
  const build = Bun.spawnSync(['bun', 'build', ...options, SOURCE, '--outfile', PROGRAM], {
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if (!build.success) throw new Error('the yardstick could not be built')
}

/**
 * Returns the processor time that this machine takes for the yardstick now, microseconds. Throws
 * when it fails.
 */
export async function measureYardstick(): Promise<number> {
  const child = Bun.spawn([PROGRAM], { stdout: 'pipe', stderr: 'inherit' })
  const text = await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error('the yardstick failed')
  return Number(text)
}
