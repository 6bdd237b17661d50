import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { knownMigrations, migrate } from '../../src/infra/db/migrate'
import type { ServerProcess } from './process'

/** What makes a table in a migration. */
export const NEW_TABLE = /CREATE TABLE `(\w+)`/

/** The place of the newest migration that makes a table. */
export const LAST = knownMigrations().findLastIndex(({ sql }) => NEW_TABLE.test(sql))

/** The migrations before it. */
export const FORMER = knownMigrations().slice(0, LAST)

/**
 * A data folder whose database lacks the newest migrations, and which another process writes to:
 * migrating waits until it is let.
 */
export function heldInstallation(dataDir: string): {
  env: Record<string, string>
  path: string
  letGo: () => void
} {
  mkdirSync(dataDir, { mode: 0o700 })
  const path = join(dataDir, 'switchboard.sqlite')
  const old = new Database(path, { create: true, strict: true })
  old.run('pragma journal_mode = wal')
  migrate(old, { clock: { nowMs: () => Date.UTC(2026, 10, 20) }, migrations: FORMER })
  old.run('begin immediate')
  return {
    env: { DATA_DIR: dataDir, PASSWORD_MEMORY_MIB: '8', BASE_URL: 'https://chat.example.com' },
    path,
    letGo() {
      old.run('rollback')
      old.close()
    },
  }
}

/** Where a server listens that brings its database to the present schema. */
export const migratingAt = (server: ServerProcess): Promise<string> =>
  server.until('the line that it migrates', () => {
    const line = server.lines.find((text) => text.includes('"msg":"migrating"'))
    return line === undefined
      ? undefined
      : `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`
  })
