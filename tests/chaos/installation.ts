import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { machine } from '../../src/container'
import { systemClock } from '../../src/lib/clock'
import { systemCtx, type Deps } from '../../src/infra/ctx'
import { openDb } from '../../src/infra/db/connection'
import { transact } from '../../src/infra/db/transact'
import { createConcurrencyLimiter } from '../../src/infra/throttle/concurrency-limit'
import { addMemberIn } from '../../src/modules/organization/memberships/service'
import { createOrganizationIn } from '../../src/modules/organization/organizations/service'
import { createPasswordHasher } from '../../src/modules/organization/users/password'
import { createUserIn } from '../../src/modules/organization/users/service'
import { Client } from '../support/client'
import { ServerProcess, type ProcessOptions } from '../support/process'
import { readRows } from '../support/sql'

export const APP_SECRET = 'secret-of-the-platform-app'
export const METRICS_TOKEN = 'metrics-token-of-chaos'
const PASSWORD = 'correct horse battery'
export const ADMINS = ['first@example.com', 'second@example.com'] as const

/** A loaded machine takes long to start a server that was killed in its work. */
const START_DEADLINE_MS = 120_000

/** The server from its sources with a clock that can be set wrong. */
export const SKEWED = [
  process.execPath,
  '--preload',
  join(import.meta.dir, 'skew.ts'),
  join(import.meta.dir, '../../src/main.ts'),
]

/** The database of an installation, open to be read. */
export interface Reading extends Disposable {
  rows: <T>(query: string, ...values: (string | number)[]) => T[]
}

/** A data folder of its own, and the server started on it again and again. */
export class Installation {
  readonly folder: string
  readonly databasePath: string
  /** Tells a server that was started with `SKEWED` how far its clock is off, milliseconds. */
  readonly skewFile: string

  /**
   * `within`: the folder in which its own is made; that of the system for such things unless said.
   */
  constructor(
    private readonly env: Record<string, string>,
    private readonly command?: string[],
    within = tmpdir(),
  ) {
    this.folder = mkdtempSync(join(within, 'switchboard-'))
    this.databasePath = join(this.folder, 'data', 'switchboard.sqlite')
    this.skewFile = join(this.folder, 'skew')
  }

  /** How its server is started. */
  get options(): ProcessOptions {
    return {
      cwd: this.folder,
      startDeadlineMs: START_DEADLINE_MS,
      ...(this.command ? { command: this.command } : {}),
      env: {
        DATA_DIR: join(this.folder, 'data'),
        APP_SECRET,
        METRICS_TOKEN,
        ADMIN_EMAIL: ADMINS[0],
        ADMIN_PASSWORD: PASSWORD,
        PASSWORD_MEMORY_MIB: '8',
        RATE_STANDARD: '0',
        CLOCK_SKEW_FILE: this.skewFile,
        ...this.env,
      },
    }
  }

  /** Adds a second organization with an admin of its own, while no server runs. */
  async addSecondOrganization(): Promise<void> {
    const passwordHash = await createPasswordHasher(
      8,
      createConcurrencyLimiter(systemClock),
      systemClock,
    ).hash(PASSWORD, { organizationId: null })
    const db = openDb(this.databasePath, { synchronous: 'full', cacheMib: 8 })
    const deps = { ...machine(), db } as unknown as Deps // these functions need no more of it
    transact(db, (tx) => {
      const { id, roleIds } = createOrganizationIn(tx, deps, { name: 'Second' })
      const userId = createUserIn(tx, deps, {
        email: ADMINS[1],
        passwordHash,
        fullName: 'Second admin',
        homeOrganizationId: id,
        isSuperAdmin: false,
        mustChangePassword: false,
      })
      addMemberIn(tx, systemCtx(deps, id), { userId, roleId: roleIds.admin, isDefault: true })
    })
    db.sqlite.close()
  }

  /** Rows of a query, read beside a server that runs or after it has ended. */
  rows<T>(query: string, ...values: (string | number)[]): T[] {
    using reading = this.reading()
    return reading.rows<T>(query, ...values)
  }

  /**
   * Reads again and again without opening the database anew each time; ends before the server does,
   * which is to be the last to leave it.
   */
  reading(): Reading {
    const database = new Database(this.databasePath, { readonly: true })
    return {
      rows: <T>(query: string, ...values: (string | number)[]) =>
        readRows<T>(database, query, values),
      [Symbol.dispose]: () => database.close(),
    }
  }

  start(): Promise<ServerProcess> {
    return ServerProcess.start(this.options)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Signs in; the token outlives restarts. Returns the headers that carry it. */
export async function signIn(url: string, email: string, password = PASSWORD): Promise<Client> {
  const { data } = await new Client(url).post('/api/auth/login', { email, password })
  return new Client(url, { authorization: `Bearer ${data['access_token']}` })
}
