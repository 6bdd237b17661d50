/** Stores the database of this version for the upgrade tests of later versions. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { VERSION } from '../../src/version'
import { RELEASES, writeStoryDatabase } from '../support/release'

const folder = mkdtempSync(join(tmpdir(), 'release-'))
const path = join(folder, 'switchboard.sqlite')
await writeStoryDatabase(path)
const target = join(RELEASES, `${VERSION}.sqlite.gz`)
writeFileSync(target, Bun.gzipSync(readFileSync(path), { level: 9 }))
rmSync(folder, { recursive: true })
process.stdout.write(`wrote tests/releases/${VERSION}.sqlite.gz\n`)
