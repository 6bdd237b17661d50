import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { BusinessNumber } from '../../src/simulator/payloads'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { Client } from './client'
import { runCommand, type CommandResult } from './command'
import { freePort } from './ports'
import { ServerProcess } from './process'
import { readRows } from './sql'

export const CELLS_APP_SECRET = 'secret-of-the-platform-app'
const CELL_SECRET = 'secret-between-the-cells-0123456789'
const PASSWORD = 'correct horse battery'
const EMAIL = 'admin@switchboard.local'

/** One cell: a real server with its data folder, and the numbers connected there. */
export class Cell {
  server: ServerProcess | null = null

  constructor(
    readonly name: string,
    readonly port: number,
    readonly lines: BusinessNumber[],
    private readonly folder: string,
    private readonly env: Record<string, string>,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get dataDir(): string {
    return join(this.folder, this.name)
  }

  /** The super admin's email and password. */
  readonly login = { email: EMAIL, password: PASSWORD }

  private get options() {
    return {
      cwd: this.folder,
      startDeadlineMs: 120_000,
      env: {
        DATA_DIR: this.dataDir,
        PORT: String(this.port),
        BASE_URL: this.url,
        APP_SECRET: CELLS_APP_SECRET,
        ADMIN_PASSWORD: PASSWORD,
        PASSWORD_MEMORY_MIB: '8',
        RATE_STANDARD: '0',
        TRUSTED_PROXIES: '127.0.0.1/32',
        ...this.env,
      },
    }
  }

  /** Starts the server, at another port if one is given. */
  async start({ port = this.port, args = ['serve'] } = {}): Promise<void> {
    const { env, ...options } = this.options
    this.server = await ServerProcess.start({
      ...options,
      args,
      env: { ...env, PORT: String(port) },
    })
  }

  /** Runs a command beside the server. */
  command(...args: string[]): Promise<CommandResult> {
    return runCommand(args, this.options)
  }

  /** Kills the server like a power cut and starts it again. */
  async restart(): Promise<void> {
    await this.server?.kill()
    await this.start()
  }

  /** Kills the server. */
  async end(): Promise<void> {
    await this.server?.[Symbol.asyncDispose]()
  }

  /** Signs the super admin in. */
  async admin(): Promise<Client> {
    const { data } = await new Client(this.url).post('/api/auth/login', this.login)
    return new Client(this.url, { authorization: `Bearer ${data['access_token']}` })
  }

  rows<T>(query: string, ...values: (string | number)[]): T[] {
    using database = new Database(join(this.dataDir, 'switchboard.sqlite'), { readonly: true })
    database.run('pragma busy_timeout = 5000')
    return readRows<T>(database, query, values)
  }
}

/** Several cells with the simulated platform behind them. */
export class CellGroup implements AsyncDisposable {
  private constructor(
    readonly cells: Cell[],
    readonly simulator: Simulator,
    private readonly folder: string,
  ) {}

  /** Starts cells whose numbers are connected. `linesEach`: how many numbers each has. */
  static async start({
    count = 2,
    linesEach = 2,
    env = {},
  }: {
    count?: number
    linesEach?: number
    env?: Record<string, string>
  } = {}): Promise<CellGroup> {
    const folder = mkdtempSync(join(tmpdir(), 'cells-'))
    const simulator = await startSimulator({ appSecret: CELLS_APP_SECRET })
    const ports: number[] = []
    while (ports.length < count) {
      const port = await freePort()
      if (!ports.includes(port)) ports.push(port)
    }
    const addresses = ports.map((port) => `http://127.0.0.1:${port}`)
    const cells = ports.map((port, nth) => {
      const lines = Array.from({ length: linesEach }, (_, line) => lineOf(nth, line))
      return new Cell(`cell-${nth + 1}`, port, lines, folder, {
        CELLS: addresses.join(','),
        CELL_SECRET,
        PLATFORM_BASE_URL: simulator.url,
        ...env,
      })
    })
    const group = new CellGroup(cells, simulator, folder)
    // The address of the app: that of the first cell.
    simulator.setCallback(`${addresses[0]}/api/webhook`, CELLS_APP_SECRET)
    await Promise.all(cells.map((cell) => cell.start()))
    for (const cell of cells) await group.connect(cell)
    return group
  }

  private async connect(cell: Cell): Promise<void> {
    const admin = await cell.admin()
    for (const line of cell.lines) {
      const { token } = this.simulator.addPhone({
        id: line.phoneNumberId,
        wabaId: line.wabaId,
        displayPhoneNumber: line.displayPhoneNumber,
      })
      const { status } = await admin.post('/api/accounts', {
        name: line.displayPhoneNumber,
        phone_id: line.phoneNumberId,
        business_id: line.wabaId,
        access_token: token,
      })
      if (status !== 201) throw new Error(`the number was not connected: ${status}`)
    }
  }

  /** Posts a body to a cell as the platform does, until it is acknowledged. */
  async deliver(body: unknown, door: Cell): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const { promise, resolve } = Promise.withResolvers<number>()
      this.simulator.post(body, { path: `${door.url}/api/webhook` }).then(
        ({ status }) => resolve(status),
        () => resolve(0),
      )
      if ((await promise) === 200) return
      if (attempt > 600) throw new Error('the delivery was not acknowledged')
      await Bun.sleep(50)
    }
  }

  /** Waits until every cell has processed and passed on everything. */
  async settled(withinMs = 60_000): Promise<void> {
    const untilMs = performance.now() + withinMs
    while (this.cells.some((cell) => openWork(cell) > 0)) {
      if (performance.now() > untilMs)
        throw new Error(`still open: ${this.cells.map(openWork).join(', ')}`)
      await Bun.sleep(50)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.cells.map((cell) => cell.end()))
    await this.simulator.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const openWork = (cell: Cell): number =>
  cell.rows<{ n: number }>(`select
    (select count(*) from inbound_staging) +
    (select count(*) from inbound_events where state <> 'done' and state in ('pending', 'processing')) +
    (select count(*) from jobs where (kind like 'inbound.%' or kind = 'account.direct-webhooks')
      and state in ('scheduled', 'available', 'executing', 'retryable')) as n`)[0]?.n ?? 0

/** A number of a cell; each has a business account of its own. */
const lineOf = (cell: number, line: number): BusinessNumber => ({
  wabaId: `20100000${cell + 1}00000${line + 1}`,
  phoneNumberId: `30100000${cell + 1}00000${line + 1}`,
  displayPhoneNumber: `1555020${cell + 1}00${line + 1}`,
})
