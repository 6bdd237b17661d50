import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readConfig, type Config } from '../../src/config'
import { createProgram, type Program } from '../../src/container'
import type { Ids } from '../../src/lib/ids'
import type { Db } from '../../src/infra/db/connection'
import { openFiles } from '../../src/infra/files/store'
import { openLog } from '../../src/infra/log'
import type { Secrets } from '../../src/secrets'
import { createPlatformClient } from '../../src/platform/client/client'
import type { Simulator } from '../../src/simulator/platform'
import type { MovableClock } from './clock'

/** Providers that cannot be reached: no test may call a real one. */
const NO_AI = {
  AI_OPENAI_URL: 'http://127.0.0.1:9/openai',
  AI_ANTHROPIC_URL: 'http://127.0.0.1:9/anthropic',
  AI_GOOGLE_URL: 'http://127.0.0.1:9/google',
}

/** An eighth of the minimum setting, because tests sign in some thousand times. */
export const PASSWORD_MIB = 1

/** What stays when the program of a world is replaced by that of another server. */
export interface Surroundings {
  clock: MovableClock
  ids: Ids
  simulator: Simulator
  /** Receives the lines of the server's log. */
  logLines: string[]
  /** Settings as environment variables. */
  env: Record<string, string | undefined>
  passwordMib: number | undefined
}

/** A program on a database and a folder of its own. It is not reached over HTTP yet. */
export interface TestProgram {
  program: Program
  config: Config
  secrets: Secrets
  filesFolder: string
  /** Closes the database and removes the files. */
  close(): void
}

function configOf({ env, simulator, passwordMib }: Surroundings, filesFolder: string): Config {
  const read = readConfig({
    RATE_STANDARD: '100000',
    RATE_BULK: '100000',
    PLATFORM_BASE_URL: simulator.url,
    HOST: '127.0.0.1',
    BACKUP_INTERVAL_HOURS: '0',
    BACKUP_DIR: `${filesFolder}-backups`,
    ...NO_AI,
    ...env,
  })
  return env['PASSWORD_MEMORY_MIB'] === undefined
    ? { ...read, passwordMemoryMib: passwordMib ?? PASSWORD_MIB }
    : read
}

/** Creates a program in its surroundings. */
export function createTestProgram(around: Surroundings, db: Db, secrets: Secrets): TestProgram {
  const { clock, ids, logLines, simulator } = around
  const filesFolder = mkdtempSync(join(tmpdir(), 'switchboard-files-'))
  const config = configOf(around, filesFolder)
  const log = openLog(
    { level: 'debug', format: 'json' },
    { write: (line: string) => void logLines.push(line) },
  )
  const platform = createPlatformClient({
    baseUrl: simulator.url,
    nowMs: () => clock.nowMs(),
    totalTimeoutMs: 2_000,
    connectTimeoutMs: 1_000,
  })
  const files = openFiles(filesFolder)
  const program = createProgram(
    config,
    secrets,
    { clock, ids, random: () => 0.5, log, db, platform, files },
    null,
  )
  Object.assign(program.http, { incomingFolder: `${filesFolder}-incoming` })
  return {
    program,
    config,
    secrets,
    filesFolder,
    close() {
      platform.close()
      db.sqlite.close()
      for (const folder of ['', '-backups', '-incoming'].map((end) => filesFolder + end))
        rmSync(folder, { recursive: true, force: true })
    },
  }
}
