import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { ServerProcess } from './process'

/**
 * Creates a data folder whose database lacks every migration and is locked by another process:
 * migrating waits until `letGo` is called.
 */
export function heldInstallation(dataDir: string): {
  env: Record<string, string>
  path: string
  letGo: () => void
} {
  mkdirSync(dataDir, { mode: 0o700 })
  const path = join(dataDir, 'switchboard.sqlite')
  const database = new Database(path, { create: true, strict: true })
  database.run('pragma journal_mode = wal')
  database.run(
    'create table schema_migrations (tag text primary key, hash text not null, applied_at_ms integer not null) strict',
  )
  database.run('begin immediate')
  return {
    env: { DATA_DIR: dataDir, PASSWORD_MEMORY_MIB: '8', BASE_URL: 'https://chat.example.com' },
    path,
    letGo() {
      database.run('rollback')
      database.close()
    },
  }
}

/** Returns the address of a server that is migrating its database. */
export const migratingAt = (server: ServerProcess): Promise<string> =>
  server.until('the line that it migrates', () => {
    const line = server.lines.find((text) => text.includes('"msg":"migrating"'))
    return line === undefined
      ? undefined
      : `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`
  })
