import type { Server } from 'bun'

import type { Config } from './config'
import { openStartupServer, type StartupServer } from './http/startup-server'
import { MigrationError } from './infra/db/migrate'
import type { Log } from './infra/log'
import { runInThread } from './infra/run-in-thread'
import type { Ids } from './lib/ids'
import { orListenError } from './listen'
import { expectedOf, type Storage } from './migrate'
import { VERSION } from './version'

/** The server was told to stop before it ran. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}

/**
 * Holds the port of a starting server. It answers `/health`, and refuses everything else with the
 * reason why the server is not ready.
 */
export class StartupListener {
  private server: Server<unknown> | null = null
  private readonly status: StartupServer

  constructor(
    private readonly config: Config,
    private readonly parts: { log: Log; ids: Ids; signal: AbortSignal },
  ) {
    this.status = {
      check: 'starting',
      why: 'The server is starting. Try again in a moment.',
      version: VERSION,
      baseUrl: config.baseUrl,
      ids: parts.ids,
    }
  }

  /**
   * Listens on the port until the program takes it over. If any port will do, this only checks the
   * host. Throws ListenError.
   */
  open(): void {
    this.listen()
    if (this.config.port === 0) this.close()
  }

  /**
   * Applies pending migrations in a thread while the server reports that it is migrating. Throws
   * MigrationError, ListenError, and StoppedError when it is told to stop.
   */
  async migrate(storage: Storage, pending: string[]): Promise<string[]> {
    const { log, signal } = this.parts
    Object.assign(this.status, {
      check: 'migrations',
      why: 'The database is being migrated. Try again in a moment.',
    })
    const { port } = this.listen()
    log.info({ port, migrations: pending, ...expectedOf(storage.databasePath) }, 'migrating')
    try {
      const work = runInThread<Storage, string[]>(
        () => new globalThis.Worker(new URL('./migration-worker.ts', import.meta.url).href),
      )
      return await work(storage, signal)
    } catch (error) {
      if (signal.aborted) {
        log.info('stopped during the migration; the database was not changed')
        throw new StoppedError(
          'The server was stopped during the migration. The database was not changed.',
        )
      }
      throw new MigrationError(error instanceof Error ? error.message : 'Migration failed.')
    }
  }

  private listen(): Server<unknown> {
    const { host, port } = this.config
    this.server ??= orListenError({ host, port }, () =>
      openStartupServer({ host, port }, this.status),
    )
    return this.server
  }

  /** The port it listens on; `null` if it does not listen. */
  get port(): number | null {
    return this.server?.port ?? null
  }

  /** Frees the port and closes all connections. */
  close(): void {
    this.server?.stop(true).catch(() => undefined) // it no longer listens when this returns
    this.server = null
  }
}
