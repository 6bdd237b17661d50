/**
 * Freezes the format of this version: writes the baseline, if there is no earlier release, and
 * `tests/releases/<version>/`. Refuses once the version is released. See `tests/releases/README.md`.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { VERSION } from '../../src/version'
import { whyReleased } from './released'

const reason = whyReleased(join(import.meta.dir, '../..'), VERSION)
if (reason !== null) {
  process.stderr.write(
    `${VERSION} is released (${reason}), and what it has frozen does not change any more. Raise ` +
      '`version` in package.json for the next release.\n',
  )
  process.exit(1)
}
const isFirst = readdirSync(import.meta.dir, { withFileTypes: true }).every(
  (entry) => !entry.isDirectory() || entry.name === VERSION,
)
// Loaded only here, since it imports every table.
if (isFirst) (await import('../../drizzle/baseline/schema')).writeBaseline()
const [folder, part] = [join(import.meta.dir, VERSION), join(import.meta.dir, `.${VERSION}`)]
rmSync(part, { recursive: true, force: true })
mkdirSync(part)
// In another process, which reads the baseline that was just written.
const { exitCode } = Bun.spawnSync([process.execPath, join(import.meta.dir, 'freeze.ts'), part], {
  stdio: ['ignore', 'inherit', 'inherit'],
})
if (exitCode === 0) {
  if (existsSync(folder)) rmSync(folder, { recursive: true })
  renameSync(part, folder)
  process.stdout.write(`wrote tests/releases/${VERSION}\n`)
} else rmSync(part, { recursive: true })
process.exitCode = exitCode
