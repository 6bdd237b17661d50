import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { expect } from 'bun:test'

import { Client, type Loose } from './client'
import { runCommand } from './command'
import type { ProcessOptions, ServerProcess } from './process'
import { PASSWORD, ROOT_KEY, type World } from './world'

/** Writes a backup of a world to a folder. Returns its path. */
export function backUp(world: World, folder: string): string {
  const backup = join(folder, 'backup.sqlite')
  writeFileSync(backup, world.program.http.db.sqlite.serialize())
  return backup
}

/** Restores a backup of a world beside it. Returns how to start a server on it, and what was told. */
export async function restore(
  world: World,
  backup: string,
): Promise<{ told: Loose; options: ProcessOptions }> {
  const cwd = dirname(backup)
  const env = {
    DATA_DIR: join(cwd, 'data'),
    SECRET_KEY: ROOT_KEY.toString('hex'),
    PLATFORM_BASE_URL: world.simulator.url,
    PASSWORD_MEMORY_MIB: '8',
    BACKUP_INTERVAL_HOURS: '0',
    RATE_STANDARD: '0',
  }
  const { code, errors, out } = await runCommand(['restore', backup, '--json'], { cwd, env })
  expect([code, errors]).toEqual([0, ''])
  return { told: JSON.parse(out) as Loose, options: { cwd, env } }
}

/** Signs in the manager of a world at the server that was restored from it. */
export async function signInAt(server: ServerProcess, world: World): Promise<Client> {
  const { data } = await new Client(server.url).post('/api/auth/login', {
    email: world.emailOf('manager', world.tenant),
    password: PASSWORD,
  })
  return new Client(server.url, { authorization: `Bearer ${data['access_token']}` })
}
