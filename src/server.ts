import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { Server } from 'bun'

import type { Config } from './config'
import { createProgram, filesOf, machine, platformOf, type Program } from './container'
import { openSecrets, readRootKeys } from './secrets'
import { checkpointsInThread } from './infra/checkpoints/thread'
import { becomeOwner, openDataDir, type DataDir } from './infra/data-dir'
import { claimDataDir, type Claim } from './infra/fence'
import { setBusyTimeout, type Db } from './infra/db/connection'
import { damaged, isDamaged, isStorageError } from './infra/db/errors'
import { hasServed } from './infra/keys/keyring'
import { openLog, type Log } from './infra/log'
import { SECOND_MS, type Clock } from './lib/clock'
import { requireMetricsAddress, serveMetrics } from './metrics-listener'
import { openStorage } from './migrate'
import { createFirstAdmin } from './modules/organization/users/create-first-admin'
import { readInThreads } from './read-threads'
import { sheetAdvice } from './recovery-sheet'
import { repairAtStart } from './repairs'
import { runProgram, type RunningServer } from './run-program'
import { hasPeers, isUnsettled, settledSentences, settleRestored } from './settle-restored'
import { startNotices } from './start-notices'
import { StartupListener } from './startup-listener'
import { rememberVersion } from './version-history'

/**
 * How long a write waits for a command that is writing to the same database, milliseconds. All
 * other requests wait with it.
 */
const BUSY_TIMEOUT_MS = 500

/** The login that the first start created. The password is shown once and stored nowhere. */
export interface FirstLogin {
  email: string
  /** `null` if it comes from the configuration. */
  password: string | null
}

export interface StartOptions {
  /** Gets the login that the first start created. It must be shown even if the start then fails. */
  tell: (login: FirstLogin) => void
  /** Whether pending migrations are applied; if not, they are an error. */
  migrates: boolean
  /** Stops a start that is still migrating. */
  signal?: AbortSignal
}

/** A server that runs, and what its operator should know. */
export interface StartedServer extends RunningServer {
  notices: string[]
}

/**
 * Starts the whole server: claims and opens the data folder, migrates the database, creates the first
 * admin, listens and starts all background work. Throws an error with one sentence for the operator,
 * and StoppedError if `signal` is aborted before the server runs.
 */
export async function startServer(config: Config, options: StartOptions): Promise<StartedServer> {
  const log = openLog({ level: config.logLevel, format: config.logFormat })
  for (const warning of config.warnings) log.warn(warning)
  const around = { ...machine(), log }
  const signal = options.signal ?? new AbortController().signal
  const startup = new StartupListener(config, { log, ids: around.ids, signal })
  let claim: Claim | null = null
  try {
    // Root may listen on ports that the owner of the data folder may not.
    if (existsSync(config.dataDir)) becomeOwner(resolve(config.dataDir))
    startup.open() // a taken port is found before anything is written
    requireMetricsAddress(config.metricsAddress)
    const dir = openDataDir(config.dataDir)
    claim = await claimDataDir(dir, (host) => {
      log.error({ host }, 'another machine has taken over the data folder; ending at once')
      process.exit(1)
    })
    const db = await openDatabase(config, dir, { ...around, startup, migrates: options.migrates })
    const trouble = rememberVersion(dir, db.sqlite)
    if (trouble !== null) log.warn({ trouble }, 'the list of versions was not written')
    const settled = settleOnce(config, { ...around, db })
    const program = openProgram(config, dir, { ...around, db })
    const first = await createFirstAdmin(program.http, program.auth.hasher, config.admin)
    setBusyTimeout(db, BUSY_TIMEOUT_MS)
    if (first) options.tell(first)
    const running = runProgram(program, {
      ...config,
      port: startup.port ?? config.port,
      takeOver: () => startup.close(),
    })
    const metrics = serveMetrics(program, config.metricsAddress)
    const { port } = running
    const found = startNotices(config, { port, backupFolder: program.http.backups.folder })
    for (const notice of found) log.warn(notice)
    log.info({ port, base_url: config.baseUrl, version: program.http.version }, 'listening')
    const advice = sheetAdvice(config, dir, readRootKeys(config, dir))
    const notices = [...config.warnings, ...settled, ...found, ...advice]
    return { ...running, notices, stop: () => stopServer(running, { metrics, claim }) }
  } catch (error) {
    startup.close()
    claim?.release()
    throw isDamaged(error) ? damaged(join(config.dataDir, 'switchboard.sqlite')) : error
  }
}

/** Opens and migrates the database, with checkpoints in a thread of their own. */
async function openDatabase(
  config: Config,
  dir: DataDir,
  options: { clock: Clock; log: Log; startup: StartupListener; migrates: boolean },
): Promise<Db> {
  const { log, clock, startup, migrates } = options
  const startedMs = performance.now()
  const { db, applied } = await openStorage(dir, {
    synchronous: config.dbSynchronous,
    cacheMib: config.dbCacheMib,
    clock,
    migrates,
    elsewhere: (storage, pending) => startup.migrate(storage, pending),
  })
  const seconds = Math.ceil((performance.now() - startedMs) / SECOND_MS)
  if (applied.length > 0) log.info({ migrations: applied, seconds }, 'migrations applied')
  const thread = () => new Worker(new URL('./checkpoint-worker.ts', import.meta.url).href)
  db.checkpoints = checkpointsInThread(db.sqlite, dir.databasePath, thread)
  return db
}

/**
 * Stops what may have gone on since the copy that a rollback brought back. Returns sentences for the
 * operator.
 */
function settleOnce(
  config: Config,
  { log, ...deps }: ReturnType<typeof machine> & { log: Log; db: Db },
): string[] {
  if (!isUnsettled(deps.db.sqlite)) return []
  const facts = settleRestored(deps, { freezes: hasPeers(config) })
  log.warn(facts, 'first start after a rollback')
  return ['This is the first start after a rollback.', ...settledSentences(facts)]
}

/** Creates the program on an open database, and checks its secrets and roles. */
function openProgram(
  config: Config,
  dir: DataDir,
  around: ReturnType<typeof machine> & { log: Log; db: Db },
): Program {
  const secrets = openSecrets(config, dir, { wasUsed: hasServed(around.db.orm), isServer: true })
  const platform = platformOf(config, around.clock)
  const program = createProgram(
    config,
    secrets,
    { ...around, platform, files: filesOf(dir) },
    dir.path,
  )
  readInThreads(program.http, dir.databasePath)
  repairAtStart(program.http)
  return program
}

async function stopServer(
  running: RunningServer,
  open: { metrics: Server<unknown> | null; claim: Claim | null },
): Promise<void> {
  const { db, log } = running.program.http
  await running.stop()
  await running.program.http.reads.end()
  await open.metrics?.stop(true)
  checkpoint(db, log)
  db.sqlite.close()
  open.claim?.release()
  log.info('stopped')
}

/** Empties the write-ahead log. If the disk is full, the log stays for the next start; nothing is lost. */
function checkpoint(db: Db, log: Log): void {
  try {
    db.sqlite.run('pragma wal_checkpoint(truncate)')
  } catch (error) {
    if (!isStorageError(error)) throw error
    log.warn({ error }, 'WAL checkpoint failed on shutdown')
  }
}
