import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sha256Hex } from '../../src/lib/hash'
import { knownMigrations } from '../../src/infra/db/migrate'
import { VERSION } from '../../src/version'
import { openArchive } from '../support/archive'
import { EMPTY_TABLES, FilledInstallation } from '../support/filled-installation'
import { PASSPHRASE } from '../support/organization-archive'
import {
  apiToday,
  columnsInArchives,
  RELEASE_FILES,
  rowCounts,
  type Release,
} from '../support/release'

/** Writes the database of a filled installation of this version, an archive, and what they hold. */
export async function freeze(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const pathOf = (file: keyof typeof RELEASE_FILES): string => join(folder, RELEASE_FILES[file])
  await using installation = await FilledInstallation.create()
  const { world, env } = installation
  writeFileSync(pathOf('archive'), await installation.archive(PASSPHRASE))
  await installation.leaveUnderWay()
  const plain = join(mkdtempSync(join(tmpdir(), 'freeze-')), 'switchboard.sqlite')
  world.program.http.db.sqlite.run('vacuum into ?', [plain])
  using database = new Database(plain, { readonly: true, strict: true })
  const rows = rowCounts(database)
  const wrong = Object.keys(rows).filter((table) => (rows[table] === 0) !== table in EMPTY_TABLES)
  if (wrong.length > 0)
    throw new Error(
      `Add a row of ${wrong.join(', ')} to tests/support/filled-installation.ts, or say there why ` +
        'it has none: a release keeps a row of every table, which later versions must migrate.',
    )
  writeFileSync(pathOf('database'), Bun.gzipSync(readFileSync(plain), { level: 9 }))
  writeFileSync(pathOf('api'), Bun.gzipSync(JSON.stringify(apiToday()), { level: 9 }))
  const { manifest } = await openArchive(pathOf('archive'))
  const { ids } = await world.copy()
  const facts: Release = {
    version: VERSION,
    migrations: Object.fromEntries(knownMigrations().map(({ tag, hash }) => [tag, hash])),
    database: { sha256: sha256Hex(readFileSync(pathOf('database'))), rows },
    archive: {
      format: manifest.version,
      sha256: sha256Hex(readFileSync(pathOf('archive'))),
      rows: Object.fromEntries(manifest.parts.map((part) => [part.table, part.rows])),
      columns: columnsInArchives(database),
    },
    world: { nowMs: world.clock.nowMs(), ids, env, tenants: world.tenants },
  }
  writeFileSync(pathOf('facts'), `${JSON.stringify(facts, null, 1)}\n`)
  rmSync(join(plain, '..'), { recursive: true })
}

const [folder] = process.argv.slice(2)
if (import.meta.main && folder !== undefined) await freeze(folder)
