import { textMessage } from '../../src/simulator/payloads'
import type { Cell, CellGroup } from './cells'
import type { Answer, Client, Loose } from './client'
import { changeRows } from './sql'
import { World, type Tenant, type WorldOptions } from './world'

/** A move as its row tells it. */
export interface MoveState {
  step: string
  error: string | null
  frozen_at_ms: number | null
  thawed_at_ms: number | null
}

/** Returns the newest move of a cell. */
export const moveOf = (cell: Cell): MoveState | undefined =>
  cell.rows<MoveState>(
    'select step, error, frozen_at_ms, thawed_at_ms from organization_moves order by created_at_ms desc limit 1',
  )[0]

/** Returns the organization in which the numbers of a cell were connected. */
export function organizationOf(cell: Cell): string {
  const [row] = cell.rows<{ id: string }>('select organization_id as id from accounts limit 1')
  return row?.id ?? ''
}

/** Starts a move. */
export const startMove = (admin: Client, organization: string, to: Cell) =>
  admin.post<Loose>(`/api/admin/organizations/${organization}/move`, { to: to.url })

/** Waits until the newest move of a cell is at one of the steps. */
export async function reached(cell: Cell, steps: string[], withinMs = 60_000): Promise<MoveState> {
  const untilMs = performance.now() + withinMs
  for (;;) {
    const move = moveOf(cell)
    if (move && steps.includes(move.step)) return move
    if (performance.now() > untilMs)
      throw new Error(`the move stands at ${move?.step}: ${move?.error}`)
    await Bun.sleep(10)
  }
}

/** Customers who write to the numbers of a cell at all doors until they are stopped. */
export class Customers {
  /** IDs of the messages that were acknowledged. */
  readonly written: string[] = []
  private isRunning = true
  private readonly loops: Promise<void>[]

  constructor(
    private readonly group: CellGroup,
    private readonly cell: Cell,
    { atOnce = 2, pauseMs = 15 }: { atOnce?: number; pauseMs?: number } = {},
  ) {
    this.loops = Array.from({ length: atOnce }, (_, nth) => this.write(nth, pauseMs))
  }

  private async write(nth: number, pauseMs: number): Promise<void> {
    const { cells } = this.group
    for (let round = 0; this.isRunning; round += 1) {
      const id = `wamid.c${nth}r${round}`
      const door = cells[round % cells.length] as Cell
      const line = this.cell.lines[round % this.cell.lines.length]
      if (!line) throw new Error('the cell has no number')
      const person = { waId: String(15_550_700_000 + (round % 20)), name: 'Ana Sol' }
      await this.group.deliver(textMessage(`Text ${round}`, { line, id, person }), door)
      this.written.push(id)
      await Bun.sleep(pauseMs)
    }
  }

  async stop(): Promise<string[]> {
    this.isRunning = false
    await Promise.all(this.loops)
    return this.written.toSorted()
  }
}

/** Returns the IDs of the messages that customers wrote, as a cell has them. */
export const receivedIn = (cell: Cell): string[] =>
  cell
    .rows<{ id: string }>(
      "select wa_message_id as id from messages where direction = 'incoming' order by id",
    )
    .map(({ id }) => id)
    .toSorted()

const SECRET = 'secret-between-the-cells-0123456789'

/** Two servers as cells of each other. The last organization of the first one can move. */
export class WorldPair implements AsyncDisposable {
  private constructor(
    readonly from: World,
    readonly to: World,
    readonly admin: Client,
  ) {}

  static async create({
    tenants = 2,
    env = {},
  }: Pick<WorldOptions, 'tenants' | 'env'> = {}): Promise<WorldPair> {
    const from = await World.create({ tenants, env })
    // Its IDs are others, as those of another server.
    const to = await World.create({ isConnected: false, tenants: 1, firstId: 1_000_000, env })
    joinCells(from, to)
    joinCells(to, from)
    return new WorldPair(from, to, await from.as('super'))
  }

  get organization(): string {
    return (this.from.tenants.at(-1) as Tenant).id
  }

  get path(): string {
    return `/api/admin/organizations/${this.organization}/move`
  }

  start(): Promise<Answer<Loose>> {
    return this.admin.post<Loose>(this.path, { to: this.to.url })
  }

  /** Lets a while pass, and both servers work. */
  async pass({ seconds = 2, of = [this.from, this.to] } = {}): Promise<void> {
    for (const world of [this.from, this.to]) world.clock.advance({ seconds })
    for (const world of of) await world.settle()
  }

  /** Passes until the move is at a step. */
  async reach(step: string, options: { of?: World[] } = {}): Promise<void> {
    for (let round = 0; this.step !== step; round += 1) {
      if (round > 100) throw new Error(`the move stands at ${this.step}: ${this.error}`)
      await this.pass(options)
    }
  }

  /** Cuts the connection between the servers, or mends it. */
  cut(isCut = true): void {
    for (const world of [this.from, this.to]) {
      const { settings } = world.program.http
      const secret = isCut ? `${world.url}-another-secret-0123456789` : SECRET
      settings.cells = settings.cells && { ...settings.cells, secret }
    }
  }

  /** Makes the managers super admins, who are notified. */
  addSuperAdmins(): void {
    for (const { program, tenant } of [this.from, this.to])
      changeRows(program.http.db.sqlite, 'update users set is_super_admin = 1 where id = ?', [
        tenant.userIds.manager,
      ])
  }

  /** Titles of the critical notifications of a server. */
  noticesOf(world: World): unknown[] {
    return world
      .rows(
        "select title from notifications where severity = 'critical' and kind like 'organization%'",
      )
      .map(({ title }) => title)
  }

  get step(): string {
    return String(
      this.from.rows('select step from organization_moves order by rowid desc')[0]?.['step'],
    )
  }

  get error(): string {
    const [row] = this.from.rows('select error from organization_moves order by rowid desc')
    return String(row?.['error'])
  }

  /** The state of the organization in both servers; `null` where it is not. */
  get states(): (string | null)[] {
    return [this.from, this.to].map((world) => {
      const [row] = world.rows('select state from organizations where id = ?', this.organization)
      return row ? String(row['state']) : null
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.from.stop()
    await this.to.stop()
  }
}

/** Makes a server the peer of another. */
export function joinCells(own: World, other: { url: string }): void {
  own.program.http.settings.cells = { own: own.url, peers: [other.url], secret: SECRET }
}
