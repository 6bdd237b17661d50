import { join } from 'node:path'

import type { Server } from 'bun'

import { DEFAULT_METRICS_ADDRESS } from './environment'
import { type Config } from './config'
import { SECOND_MS } from './lib/clock'
import type { Ids } from './lib/ids'
import { createApp } from './app'
import { createProgram, filesOf, machine, openSecrets, platformOf, type Program } from './container'
import { folderProblem } from './infra/backup/folder'
import { setBusyTimeout, type Db } from './infra/db/connection'
import { damaged, isDamaged, isStorageError } from './infra/db/errors'
import { checkpointsInThread } from './infra/checkpoints/thread'
import { yieldToEventLoop } from './infra/event-loop'
import { HeapKeeper } from './infra/gc'
import { hasServed, requireReadableSecrets } from './infra/keys/keyring'
import { lockDataDir, openDataDir } from './infra/data-dir'
import { openLog, type Log } from './infra/log'
import { measureLoopLag } from './infra/metrics/event-loop-lag'
import { MigrationError } from './infra/db/migrate'
import { runInThread } from './infra/run-in-thread'
import { openStartupServer, type StartupServer } from './http/startup-server'
import { listenForMetrics } from './metrics-listener'
import { openStorage, type Storage } from './migrate'
import { repairSystemRoles } from './modules/roles/service'
import { rotateSecrets } from './modules/system/key-rotation/rotate'
import { createFirstAdmin } from './modules/users/create-first-admin'
import { VERSION } from './version'

/** The port is taken or the address is not ours; the message is one sentence for the operator. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/** The server was told to stop before it ran. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}

/** A server that takes requests, and the way to stop it. */
export interface RunningServer {
  port: number
  program: Program
  /**
   * Stops gracefully: refuses new work, tells the sockets, lets what runs finish for a while,
   * leaves a checkpointed database.
   */
  stop(): Promise<void>
}

/**
 * A change waits so long for a command beside the server that writes, milliseconds: everybody else
 * waits with it.
 */
const PATIENCE_MS = 500

/** Who the first start created: shown once, to the person who started it. */
export interface FirstLogin {
  email: string
  password: string | null
}

/**
 * Starts the whole server: locks and opens the data folder, migrates, makes what a first start
 * needs, listens and works. `tell` gets the login a first start created. Throws with one sentence
 * when something stands in the way, and StoppedError when `signal` comes before the server runs.
 */
export async function startServer(
  config: Config,
  options: { tell: (login: FirstLogin) => void; migrates: boolean; signal?: AbortSignal },
): Promise<RunningServer> {
  const log = openLog({ level: config.logLevel, format: config.logFormat })
  for (const warning of config.warnings) log.warn(warning)
  const around = machine()
  const waiting = new WaitingRoom(config, {
    log,
    ids: around.ids,
    signal: options.signal ?? new AbortController().signal,
  })
  let lock: { release: () => void } | null = null
  try {
    requireMetricsAddress(config.metricsAddress)
    waiting.open() // a taken port is found before anything is written
    const dir = openDataDir(config.dataDir)
    lock = lockDataDir(dir)
    const held = lock
    const { db, applied } = await openStorage(dir, {
      synchronous: config.dbSynchronous,
      cacheMib: config.dbCacheMib,
      clock: around.clock,
      migrates: options.migrates,
      elsewhere: (storage, pending) => waiting.migrate(storage, pending),
    })
    if (applied.length > 0) log.info({ migrations: applied }, 'migrations applied')
    const thread = () => new Worker(new URL('./checkpoint-worker.ts', import.meta.url).href)
    db.checkpoints = checkpointsInThread(db.sqlite, dir.databasePath, thread)
    const secrets = openSecrets(config, dir, { wasUsed: hasServed(db.orm), isServer: true })
    const program = createProgram(
      config,
      secrets,
      { ...around, log, db, platform: platformOf(config, around.clock), files: filesOf(dir) },
      dir.path,
    )
    requireReadableSecrets(program.http)
    rotateSecrets(program.http)
    repairSystemRoles(program.http)
    tellBackupFolder(program)
    const first = await createFirstAdmin(program.http, program.auth.hasher, config.admin)
    setBusyTimeout(db, PATIENCE_MS)
    // before anything else can fail: the password is known nowhere else
    if (first) options.tell(first)
    const running = serveProgram(program, {
      ...config,
      port: waiting.port ?? config.port,
      takeOver: () => waiting.close(),
    })
    const metrics = serveMetrics(program, config.metricsAddress)
    log.info(
      { port: running.port, base_url: config.baseUrl, version: program.http.version },
      'listening',
    )
    return {
      ...running,
      async stop() {
        await running.stop()
        await metrics?.stop(true)
        checkpoint(db, log)
        db.sqlite.close()
        held.release()
        log.info('stopped')
      },
    }
  } catch (error) {
    waiting.close()
    lock?.release()
    throw isDamaged(error) ? damaged(join(config.dataDir, 'switchboard.sqlite')) : error
  }
}

/** Says at start that backups cannot be made: else nobody would know until one is needed. */
function tellBackupFolder({ http }: Program): void {
  const { folder } = http.backups
  const trouble = folder === null ? null : folderProblem(folder)
  if (trouble !== null) http.log.error({ trouble }, 'backups cannot be made')
}

/**
 * The listener of a server that starts: answers `/health`, and says why nothing else can be served
 * yet.
 */
class WaitingRoom {
  private server: Server<unknown> | null = null
  private readonly about: StartupServer

  constructor(
    private readonly config: Config,
    private readonly parts: { log: Log; ids: Ids; signal: AbortSignal },
  ) {
    this.about = {
      check: 'starting',
      why: 'The server is starting. Try again in a moment.',
      version: VERSION,
      baseUrl: config.baseUrl,
      ids: parts.ids,
    }
  }

  /**
   * Takes the port, which the program takes over when it can serve. Where any port will do, only
   * the host is tried. Throws ListenError.
   */
  open(): void {
    const { host, port } = this.config
    this.server ??= listening({ host, port }, () => openStartupServer({ host, port }, this.about))
    if (port === 0) this.close()
  }

  /**
   * Applies pending migrations in a thread while the server says why it is not ready. Throws
   * MigrationError, ListenError, and StoppedError when it is told to stop.
   */
  async migrate(storage: Storage, pending: string[]): Promise<string[]> {
    const { log, signal } = this.parts
    const { host, port } = this.config
    Object.assign(this.about, {
      check: 'migrations',
      why: 'The database is being migrated. Try again in a moment.',
    })
    this.server ??= listening({ host, port }, () => openStartupServer({ host, port }, this.about))
    log.info({ port: this.server.port, migrations: pending }, 'migrating')
    try {
      const work = runInThread<Storage, string[]>(
        () => new globalThis.Worker(new URL('./migration-worker.ts', import.meta.url).href),
      )
      return await work(storage, signal)
    } catch (error) {
      if (signal.aborted)
        throw new StoppedError(
          'The server was stopped before the migration. The database was not changed.',
        )
      throw new MigrationError(error instanceof Error ? error.message : 'Migration failed.')
    }
  }

  /** The port it listens on; `null` when it does not listen. */
  get port(): number | null {
    return this.server?.port ?? null
  }

  /** Frees the port and cuts the connections. */
  close(): void {
    this.server?.stop(true).catch(() => undefined) // it no longer listens when this returns
    this.server = null
  }
}

/**
 * Works the write-ahead log in; where the disk cannot take that it stays for the next start, which
 * loses nothing.
 */
function checkpoint(db: Db, log: Log): void {
  try {
    db.sqlite.run('pragma wal_checkpoint(truncate)')
  } catch (error) {
    if (!isStorageError(error)) throw error
    log.warn({ error }, 'WAL checkpoint failed on shutdown')
  }
}

/**
 * Throws ListenError when metrics cannot be served at an address that was chosen; the default one
 * may be taken.
 */
function requireMetricsAddress(at: Config['metricsAddress']): void {
  if (at === null || addressOf(at) === DEFAULT_METRICS_ADDRESS) return
  try {
    Bun.serve({
      hostname: at.host,
      port: at.port,
      reusePort: false,
      fetch: () => new Response(null, { status: 503 }),
    })
      .stop(true)
      .catch(() => undefined) // it no longer listens when `stop` returns
  } catch {
    throw metricsListenError(at)
  }
}

const addressOf = ({ host, port }: { host: string; port: number }): string => `${host}:${port}`

const metricsListenError = (at: { host: string; port: number }): ListenError =>
  new ListenError(`Cannot listen on ${addressOf(at)}. Set METRICS_ADDRESS.`)

/**
 * Serves metrics on their own address. A default address that is taken is told and let be; one that
 * was chosen is a fault. Throws ListenError.
 */
function serveMetrics(program: Program, at: Config['metricsAddress']): Server<unknown> | null {
  if (at === null) return null
  try {
    return listenForMetrics(program, at)
  } catch {
    if (addressOf(at) !== DEFAULT_METRICS_ADDRESS) throw metricsListenError(at)
    program.http.log.warn(
      { address: addressOf(at) },
      'metrics not served: the address is already in use; set METRICS_ADDRESS',
    )
    return null
  }
}

/**
 * A signal repeated this soon is the same one, milliseconds: `bun run` passes on what the terminal
 * has sent to everybody.
 */
const SAME_SIGNAL_MS = 500

/**
 * Ends the process when it is told to (SIGTERM, Ctrl-C): after `stop`, or at once when it is told a
 * second time.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  let toldAtMs: number | null = null
  const told = (): void => {
    if (toldAtMs !== null && performance.now() - toldAtMs > SAME_SIGNAL_MS) process.exit(1)
    if (toldAtMs !== null) return
    toldAtMs = performance.now()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.message : 'could not stop'}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', told)
  process.on('SIGINT', told)
}

/** Listens and works for a program on an open database. Throws ListenError. */
function serveProgram(
  program: Program,
  config: Pick<Config, 'shutdownS'> & ListenAt,
): RunningServer {
  const { relay, worker, ingest, realtime } = program
  relay.drain()
  const server = listenFor(program, config)
  program.lifecycle.process = {
    pendingRequests: () => server.pendingRequests,
    loopLag: measureLoopLag(),
  }
  program.http.db.afterCommit = () => {
    relay.wake()
    worker.wake()
  }
  worker.start()
  ingest.start()
  realtime.sockets.start()
  const heap = new HeapKeeper(() => server.pendingRequests === 0)
  heap.start()
  const { proxies, deliverySummary } = program.http
  proxies.start()
  deliverySummary.start()
  program.lifecycle.reserve.start()
  const stop = async (): Promise<void> => {
    heap.stop()
    program.lifecycle.reserve.stop()
    await stopProgram(program, server, config.shutdownS * SECOND_MS)
    proxies.stop()
    deliverySummary.stop()
  }
  return { port: server.port ?? config.port, program, stop }
}

/**
 * Address of the server, and the idle time after which it closes a connection, seconds. Defaults to
 * a minute.
 */
export interface ListenAt {
  host: string
  port: number
  idleS?: number
  /** Frees the port right before it is listened on. */
  takeOver?: () => void
}

/**
 * Takes requests and sockets for a program with its app; its relay and its worker are the caller's
 * to run. Throws ListenError.
 */
export function listenFor(
  program: Program,
  at: ListenAt,
  { app }: Pick<ReturnType<typeof createApp>, 'app'> = createApp(program),
): Server<unknown> {
  at.takeOver?.()
  const server = listen(app, at)
  program.hub.attach(server)
  program.lifecycle.phase = 'running'
  return server
}

/**
 * A silent line is closed after this, seconds: idle, or of a client that takes nothing of its
 * answer.
 */
const IDLE_S = 60

function listen(app: ReturnType<typeof createApp>['app'], at: ListenAt): Server<unknown> {
  const known = process.listeners('beforeExit')
  listening(at, () =>
    app.listen({ hostname: at.host, port: at.port, idleTimeout: at.idleS ?? IDLE_S }),
  )
  // Elysia leaves a handler with the process that keeps every app alive for ever; stopping is done
  // by us.
  for (const listener of process.listeners('beforeExit'))
    if (!known.includes(listener)) process.off('beforeExit', listener)
  if (!app.server)
    throw new ListenError(`Cannot listen on ${at.host}:${at.port}. Set HOST and PORT.`)
  return app.server as Server<unknown>
}

/** What `listen` comes to. Throws ListenError where the address is not to be had. */
function listening<T>(at: { host: string; port: number }, listen: () => T): T {
  try {
    return listen()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EADDRINUSE')
      throw new ListenError(
        `Port ${at.port} is already in use, perhaps by another Switchboard process. Stop that ` +
          'program, or set PORT to a free one.',
      )
    if (typeof code === 'string')
      throw new ListenError(`Cannot listen on ${at.host}:${at.port}. Set HOST and PORT.`)
    throw error
  }
}

/** Requests of a stopping server get no longer than this after the grace, milliseconds. */
const LAST_MOMENT_MS = 500

async function stopProgram(
  program: Program,
  server: Server<unknown>,
  graceMs: number,
): Promise<void> {
  program.lifecycle.phase = 'stopping'
  program.realtime.sockets.stop()
  const closed = server.stop(false)
  const requestsDone = untilZero(() => server.pendingRequests, graceMs)
  await Promise.all([program.worker.stop(graceMs), Promise.race([closed, requestsDone])])
  program.journal.close()
  program.ingest.stop()
  await Promise.race([server.stop(true), pause(LAST_MOMENT_MS)])
  program.relay.drain()
  program.http.platform.close()
  program.http.db.afterCommit = () => undefined
  program.lifecycle.process?.loopLag.stop()
  // A wake of the relay or the worker may still be pending; nothing touches the database after it.
  await yieldToEventLoop()
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function untilZero(count: () => number, atMostMs: number): Promise<void> {
  const untilMs = performance.now() + atMostMs
  while (count() > 0 && performance.now() < untilMs) await pause(10)
}
