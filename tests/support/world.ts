import { Database } from 'bun:sqlite'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { and, eq } from 'drizzle-orm'

import { readInThreads } from '../../src/read-threads'
import { type Environment } from '../../src/environment'
import type { Config } from '../../src/config'
import type { Program } from '../../src/container'
import { type Secrets } from '../../src/secrets'
import { systemClock } from '../../src/lib/clock'
import { systemCtx } from '../../src/infra/ctx'
import { wrapDb, type Db } from '../../src/infra/db/connection'
import { transact } from '../../src/infra/db/transact'
import { migrate } from '../../src/infra/db/migrate'
import { createConcurrencyLimiter } from '../../src/infra/throttle/concurrency-limit'
import { addMemberIn } from '../../src/modules/organization/memberships/service'
import { createOrganizationIn } from '../../src/modules/organization/organizations/service'
import { organizations } from '../../src/modules/organization/organizations/table'
import type { SystemRole } from '../../src/modules/organization/roles/catalog'
import { rolePermissions } from '../../src/modules/organization/roles/table'
import { createPasswordHasher } from '../../src/modules/organization/users/password'
import { createUserIn } from '../../src/modules/organization/users/service'
import type { Call } from '../../src/simulator/calls'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { Client, type Loose } from './client'
import { countingIds, MovableClock } from './clock'
import { INEXACT } from './exact-answers'
import { host, type Hosted } from './hosting'
import { KeptStatements } from './kept-statements'
import { Journey, type Fixture } from './journey'
import { createTestProgram, PASSWORD_MIB, type Surroundings, type TestProgram } from './program'
import { TestSocket } from './socket'
import { requireWordsLeft } from './wording'
import { readRows } from './sql'
import { watchIds } from './watch-ids'

/** The users of each organization in a world, one of each. */
export type Person = SystemRole | 'super'

/** A tenant of a world, with its number at the simulated platform. */
export interface Tenant {
  id: string
  name: string
  roleIds: Record<SystemRole, string>
  userIds: Record<SystemRole, string>
  /** The platform's id and token of its number. */
  phoneId: string
  wabaId: string
  token: string
  /** ID of its account, once `connect` was called. */
  accountId: string | null
}

export interface WorldOptions {
  /** Settings as environment variables. */
  env?: Partial<Record<keyof typeof Environment.properties, string>>
  /** Whether every tenant's number is connected from the start. Default true. */
  isConnected?: boolean
  /** Number of tenants. Default 2. With 0 the server is empty: it has no user either. */
  tenants?: number
  /**
   * Where new conversations wait. Default `nobody`, so that only what a test transfers is a transfer;
   * an organization of the product has `general`.
   */
  newConversations?: 'nobody' | 'general'
  /**
   * Whether agents see contacts that nobody has. Default false, so that they see only what a test
   * gives them; agents of the product do.
   */
  agentsSeeUnassigned?: boolean
  /** Names of the tenants. Default Acme, Bolt, Crux and Dune. */
  names?: string[]
  /** IDs begin after this number, so that those of two worlds differ. Default 0. */
  firstId?: number
  /** The installation's app secrets, the current one first. */
  appSecrets?: string[]
  /**
   * Memory of password hashes in MiB. Existing users keep theirs if `env` has another setting.
   * Default 1.
   */
  passwordMib?: number
  /** When the clock starts, epoch milliseconds. Default 21 November 2026. */
  startMs?: number
  db?: Db
  /** A copy of a world to start from (`World.copy`). */
  from?: Furnished
}

export const PASSWORD = 'correct horse battery'
export const APP_SECRET = 'world-app-secret'
export const VERIFY_TOKEN = 'world-verify-token'
export const ROOT_KEY = Buffer.alloc(32, 7)
/**
 * Time after which a user of a world signs in again, well within the lifetime of an access token.
 */
const MAX_SESSION_MS = 10 * 60_000
const START_MS = Date.UTC(2026, 10, 21, 9, 30, 0)

const passwordHashes = new Map<number, Promise<string>>()

/** Returns the hash of the users' password that takes this much memory. */
function passwordHash(mib: number): Promise<string> {
  const known =
    passwordHashes.get(mib) ??
    createPasswordHasher(mib, createConcurrencyLimiter(systemClock), systemClock).hash(PASSWORD, {
      organizationId: null,
    })
  passwordHashes.set(mib, known)
  return known
}

let template: Uint8Array | null = null

const DB_OPTIONS = { synchronous: 'normal', cacheMib: 8 } as const

/** Returns a fresh database with the current schema, copied from one that was migrated once. */
export function freshDatabase(): Database {
  if (!template) {
    const base = new Database(':memory:', { strict: true })
    migrate(base, { clock: { nowMs: () => START_MS } })
    template = base.serialize()
  }
  return watchIds(Database.deserialize(template, { strict: true }))
}

/**
 * A world after its creation and the work of a server start. Later worlds with the same options
 * start from it.
 */
export interface Furnished {
  database: Uint8Array
  ids: number
  tenants: Tenant[]
  /** Signed-in clients, by email. */
  tokens: Map<string, string>
  calls: readonly Call[]
  logLines: string[]
}

/** Whether reads run in threads, as in the server, and not in place, which is faster to set up. */
const READS_IN_THREADS = process.env['READS_IN_THREADS'] === '1'

/** Writes a database into a file of its own, so that threads can read it. */
function databaseFile(bytes: Uint8Array | undefined): string {
  const file = join(mkdtempSync(join(tmpdir(), 'switchboard-read-')), 'switchboard.sqlite')
  writeFileSync(file, bytes ?? freshDatabase().serialize())
  return file
}

const furnished = new Map<string, Furnished>()

const addNumbers = (simulator: Simulator, tenants: Tenant[]): void => {
  for (const { name, phoneId, wabaId, token } of tenants)
    simulator.addPhone({
      id: phoneId,
      wabaId,
      token,
      displayPhoneNumber: `+1 555-010-000${phoneId.at(-1)}`,
      verifiedName: name,
    })
}

/**
 * The whole server on a private database, with a simulated platform behind it and people in front
 * of it.
 */
export class World {
  private readonly clients = new Map<string, { client: Promise<Client>; signedInMs: number }>()
  private readonly sockets: TestSocket[] = []

  private journey: Journey | null = null

  private constructor(
    private readonly first: TestProgram,
    readonly clock: MovableClock,
    readonly simulator: Simulator,
    readonly tenants: Tenant[],
    readonly url: string,
    /** Lines of the server's log so far. */
    readonly logLines: string[],
    private readonly hosted: Hosted,
  ) {}

  private get running(): TestProgram {
    return this.journey?.running ?? this.first
  }

  get program(): Program {
    return this.running.program
  }

  get config(): Config {
    return this.running.config
  }

  get secrets(): Secrets {
    return this.running.secrets
  }

  /** Folder of the world's files. */
  get filesFolder(): string {
    return this.running.filesFolder
  }

  /**
   * Creates a world: by default two tenants, each with an admin, a manager, an agent and a
   * connected number.
   */
  static async create(options: WorldOptions = {}): Promise<World> {
    const { db: given, from, ...kind } = options
    const key = JSON.stringify(kind)
    const known = given ? undefined : (from ?? furnished.get(key))
    const clock = new MovableClock(options.startMs ?? START_MS)
    const simulator = await startSimulator({
      appSecret: APP_SECRET,
      nowMs: () => clock.nowMs(),
      phones: [],
      retryDelaysMs: [0],
      prependsCountryCode: true,
      // A platform that goes on does not give its IDs a second time.
      ...(options.from ? { seed: options.from.ids } : {}),
      ...(options.firstId === undefined ? {} : { seed: options.firstId }),
    })
    const secrets: Secrets = {
      roots: { current: ROOT_KEY, previous: null },
      webhookVerifyToken: VERIFY_TOKEN,
      appSecrets: options.appSecrets ?? [APP_SECRET],
    }
    const logLines = [...(known?.logLines ?? [])]
    const database = (): Database =>
      known ? watchIds(Database.deserialize(known.database, { strict: true })) : freshDatabase()
    const file = READS_IN_THREADS && !given ? databaseFile(known?.database) : null
    const opened = file === null ? database() : watchIds(new Database(file, { strict: true }))
    const db = given ?? { ...wrapDb(opened, DB_OPTIONS), statements: new KeptStatements(opened) }
    const ids = countingIds(known?.ids ?? options.firstId)
    const around: Surroundings = {
      ...{ clock, ids, simulator, logLines, passwordMib: options.passwordMib },
      env: { ...options.env },
    }
    const running = createTestProgram(around, db, secrets)
    const { program } = running
    if (file !== null) readInThreads(program.http, file)
    const hosted = host(program)
    const url = `http://127.0.0.1:${hosted.port}`
    simulator.setCallback(`${url}/api/webhook`, APP_SECRET)
    const tenants = known
      ? known.tenants.map((tenant) => ({ ...tenant }))
      : populate(program, await passwordHash(options.passwordMib ?? PASSWORD_MIB), {
          names: options.names ?? NAMES.slice(0, options.tenants ?? 2),
          newConversations: options.newConversations ?? 'nobody',
          agentsSeeUnassigned: options.agentsSeeUnassigned ?? false,
        })
    addNumbers(simulator, tenants)
    const world = new World(running, clock, simulator, tenants, url, logLines, hosted)
    if (known) world.resume(known)
    else {
      if (options.isConnected ?? true) for (const tenant of tenants) await world.connect(tenant)
      if (!given) {
        await world.settle() // the first sweeps, reports and syncs
        furnished.set(key, await world.furnished(ids.count))
      }
    }
    // Tests with a database of their own, or with two servers, know where they are.
    if (!given && !from && options.firstId === undefined) {
      const createCell = (rootKey: Buffer): TestProgram =>
        createTestProgram(around, wrapDb(freshDatabase(), DB_OPTIONS), {
          ...secrets,
          roots: { current: rootKey, previous: null },
        })
      world.journey = Journey.begin({ running, createCell, clock, hosted, url })
      for (const { client } of world.clients.values()) world.journey?.created(await client)
    }
    return world
  }

  /** Returns a copy of the world and its database, from which another one can start. */
  copy(): Promise<Furnished> {
    const { count } = this.program.http.ids as ReturnType<typeof countingIds>
    return this.furnished(count)
  }

  private async furnished(ids: number): Promise<Furnished> {
    const tokens = await Promise.all(
      [...this.clients].map(async ([email, { client }]) => [email, (await client).token] as const),
    )
    const tenants = this.tenants.map((tenant) => ({ ...tenant }))
    const { calls } = this.simulator
    return {
      database: this.program.http.db.sqlite.serialize(),
      ids,
      tenants,
      tokens: new Map(tokens),
      calls: [...calls],
      logLines: [...this.logLines],
    }
  }

  private resume({ calls, tokens }: Furnished): void {
    this.simulator.takeOver(calls)
    for (const [email, token] of tokens)
      this.clients.set(email, {
        client: Promise.resolve(this.holding(token)),
        signedInMs: START_MS,
      })
  }

  private holding(token: unknown): Client {
    return new Client(this.url, { authorization: `Bearer ${String(token)}` })
  }

  /** A client with nothing: no credential. */
  get anyone(): Client {
    return new Client(this.url)
  }

  get tenant(): Tenant {
    return this.tenants[0] as Tenant
  }

  get other(): Tenant {
    return this.tenants[1] as Tenant
  }

  emailOf(person: Person, tenant: Tenant): string {
    return person === 'super'
      ? 'super@example.com'
      : `${person}@${tenant.name.toLowerCase()}.example.com`
  }

  /**
   * Returns a signed-in user of a tenant, by default the first one. Signs in again if the clock was
   * moved far.
   */
  as(person: Person, tenant: Tenant = this.tenant): Promise<Client> {
    const email = this.emailOf(person, tenant)
    const known = this.clients.get(email)
    if (known && this.clock.nowMs() - known.signedInMs < MAX_SESSION_MS) return known.client
    const client = this.signIn(email)
    this.clients.set(email, { client, signedInMs: this.clock.nowMs() })
    return client
  }

  /** Signs in with a new session. */
  async signIn(email: string): Promise<Client> {
    const { data } = await this.anyone.post('/api/auth/login', { email, password: PASSWORD })
    return this.holding(data['access_token'])
  }

  /** Connects a tenant's number over the API. */
  async connect(tenant: Tenant, more: Record<string, unknown> = {}): Promise<string> {
    const admin = await this.as('admin', tenant)
    const body = {
      name: `${tenant.name} main`,
      phone_id: tenant.phoneId,
      business_id: tenant.wabaId,
      access_token: tenant.token,
      ...more,
    }
    const { data } = await admin.post('/api/accounts', body)
    tenant.accountId = data['id'] as string
    return tenant.accountId
  }

  /**
   * Says that a test checks what is left behind when organizations leave a server. They stay until
   * the returned value is disposed of (`tests/imported.ts`).
   */
  stays(fixture: Fixture): Disposable {
    return this.journey?.stays(fixture) ?? { [Symbol.dispose]: () => undefined }
  }

  /** Lets the simulated platform know the number of a tenant of another world. */
  adopt(tenant: Tenant): void {
    addNumbers(this.simulator, [tenant])
  }

  /** Opens a socket for a user, optionally with a query such as `&since=0`. */
  async socket(person: Person, tenant: Tenant = this.tenant, query = ''): Promise<TestSocket> {
    const client = await this.as(person, tenant)
    const socket = await TestSocket.open(
      `${this.url.replace('http', 'ws')}/ws?token=${client.token}${query}`,
    )
    this.sockets.push(socket)
    return socket
  }

  /** Ingests deliveries, runs the relay and every due job until nothing is left. */
  work(): Promise<void> {
    const { worker, relay, ingest, webhookReader } = this.program
    return worker.runUntilIdle(() => relay.drain() + ingest.step() + webhookReader.step())
  }

  /**
   * Ingests deliveries, runs the relay and every due job, lets the platform post its webhooks, and
   * repeats until nothing is left.
   */
  async settle(): Promise<void> {
    for (let round = 0; round < 100; round += 1) {
      await this.work()
      const before = this.simulator.deliveries.length
      await this.simulator.idle()
      await this.work()
      if (this.simulator.deliveries.length === before) return
    }
    throw new Error('the work of the world does not end')
  }

  /** A customer's first words to a tenant; returns the contact as the admin sees it. */
  async contactOf(tenant: Tenant = this.tenant, text = 'Hello!', phone?: string): Promise<Loose> {
    const customer = this.simulator.customer({
      phone: tenant.phoneId,
      ...(phone === undefined ? {} : { waId: phone }),
    })
    await customer.says(text)
    await this.settle()
    const admin = await this.as('admin', tenant)
    const { data } = await admin.get('/api/contacts?sort=created_at&order=desc&limit=1')
    return (data['items'] as Loose[])[0] as Loose
  }

  /** Queries the real database, for data that no route shows. */
  rows<T = Loose>(query: string, ...values: (string | number | Uint8Array)[]): T[] {
    return readRows<T>(this.program.http.db.sqlite, query, values)
  }

  /**
   * Waits until `holds` returns true, for asynchronous events such as a lost connection. Rejects
   * after twenty seconds, which a busy machine may need.
   */
  async eventually(holds: () => boolean): Promise<void> {
    for (let round = 0; round < 2_000; round += 1) {
      if (holds()) return
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    throw new Error('that did not happen within twenty seconds')
  }

  async stop(): Promise<void> {
    await Promise.all(this.sockets.map((socket) => socket.close()))
    await this.simulator.stop()
    try {
      await this.journey?.end()
      requireWordsLeft(this.logLines, this.program.http.db.sqlite)
    } finally {
      await this.hosted.end()
      await this.program.http.reads.end()
      this.running.close()
    }
    const inexact = this.logLines.find((line) => line.includes(INEXACT))
    if (inexact !== undefined)
      throw new Error(`a response is not exactly what its route documents: ${inexact}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

const NAMES = ['Acme', 'Bolt', 'Crux', 'Dune']

function populate(
  program: Program,
  hash: string,
  {
    names,
    newConversations,
    agentsSeeUnassigned,
  }: { names: string[]; newConversations: string; agentsSeeUnassigned: boolean },
): Tenant[] {
  const { http } = program
  const user = { passwordHash: hash, mustChangePassword: false, isSuperAdmin: false }
  return transact(http.db, (tx) => {
    const tenants = names.map((name): Tenant => {
      const number = NAMES.indexOf(name) + 1
      const organization = createOrganizationIn(tx, http, { name })
      const ctx = systemCtx(http, organization.id)
      tx.update(organizations)
        .set({ newConversations })
        .where(eq(organizations.id, organization.id))
        .run()
      if (!agentsSeeUnassigned)
        tx.delete(rolePermissions)
          .where(
            and(
              eq(rolePermissions.roleId, organization.roleIds.agent),
              eq(rolePermissions.permission, 'contacts:read_unassigned'),
            ),
          )
          .run()
      const personOf = (role: SystemRole): string => {
        const fullName = `${name} ${role}`
        const id = createUserIn(tx, http, {
          ...user,
          email: `${role}@${name.toLowerCase()}.example.com`,
          fullName,
          homeOrganizationId: organization.id,
        })
        addMemberIn(tx, ctx, { userId: id, roleId: organization.roleIds[role], isDefault: true })
        return id
      }
      const phone = {
        id: `30100000000000${number}`,
        wabaId: `20100000000000${number}`,
        token: `token-of-${name.toLowerCase()}`,
      }
      return {
        id: organization.id,
        name,
        roleIds: organization.roleIds,
        userIds: {
          admin: personOf('admin'),
          manager: personOf('manager'),
          agent: personOf('agent'),
        },
        phoneId: phone.id,
        wabaId: phone.wabaId,
        token: phone.token,
        accountId: null,
      }
    })
    if (tenants.length > 0)
      createUserIn(tx, http, {
        ...user,
        email: 'super@example.com',
        fullName: 'Super Admin',
        homeOrganizationId: null,
        isSuperAdmin: true,
      })
    return tenants
  })
}
