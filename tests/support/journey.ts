import type { Program } from '../../src/container'
import { requestWatches, type Client, type RequestWatch } from './client'
import type { MovableClock } from './clock'
import type { Hosted } from './hosting'
import type { TestProgram } from './program'
import { areActive, reasonToStay, signInAgain, travelTo, vouchAgain, type Travel } from './travels'

/** How organizations travel in this test run; `null` if they stay where they are. */
const TRAVEL = (process.env['TRAVEL'] ?? null) as Travel | null

/** Requests before the organizations of a world leave its server. Later, they stay ever longer. */
const FIRST = Number(process.env['TRAVEL_AFTER'] ?? 4)

/**
 * What does not travel (`src/docs/archive.md`), or what no import takes: rows that a test makes up and
 * no server writes.
 */
export type Fixture =
  | 'the journal of webhooks'
  | 'the event log'
  | 'jobs'
  | 'uploads to the platform'
  | 'exports'
  | 'answers to repeated requests'
  | 'sign-ins'
  | 'accounts of people'
  | 'the keys of the server'
  | 'backups'
  | 'the memory of a process'
  | 'faults of a disk'
  | 'how often figures were added up'
  | 'rows that no server writes'

/** What keeps organizations from leaving at all. */
const UNREADABLE: readonly Fixture[] = ['rows that no server writes', 'faults of a disk']

interface Start {
  running: TestProgram
  /** Creates an empty server with this root key. */
  createCell: (rootKey: Buffer) => TestProgram
  clock: MovableClock
  hosted: Hosted
  url: string
}

/** Lets the parts of a program that a test holds be those of later ones. Returns how. */
function followerOf(program: Program): (next: Program) => void {
  const { http } = program
  const { sqlite } = http.db
  return (next) => {
    for (const name of ['run', 'query', 'prepare', 'serialize', 'transaction'] as const)
      Object.defineProperty(sqlite, name, {
        value: next.http.db.sqlite[name].bind(next.http.db.sqlite),
        configurable: true,
      })
    Object.assign(http, next.http)
    Object.assign(program, next, { http })
  }
}

/**
 * Lets the organizations of a world leave their server after every few requests of its test, for an
 * empty server with other keys and another folder. The test goes on there without noticing.
 */
export class Journey implements RequestWatch {
  /** The server at the moment. */
  running: TestProgram
  private readonly clients = new Set<Client>()
  /** What lets the programs of earlier servers follow. */
  private readonly followers: ((next: Program) => void)[] = []
  private requests = 0
  private open = 0
  private nextAt = FIRST
  private times = 0
  private leaving: Promise<void> | null = null
  private readonly fixtures: Fixture[] = []

  private constructor(private readonly start: Start) {
    this.running = start.running
    requestWatches.set(start.url, this)
  }

  /** Begins, if organizations travel in this test run. */
  static begin(start: Start): Journey | null {
    return TRAVEL === null ? null : new Journey(start)
  }

  created(client: Client): void {
    this.clients.add(client)
  }

  /** Keeps the organizations where they are, until the returned value is disposed of. */
  stays(fixture: Fixture): Disposable {
    this.fixtures.push(fixture)
    return {
      [Symbol.dispose]: () => {
        this.fixtures.splice(this.fixtures.indexOf(fixture), 1)
      },
    }
  }

  async before(): Promise<void> {
    while (this.leaving) await this.leaving
    this.requests += 1
    if (this.requests >= this.nextAt && this.open === 0 && TRAVEL) {
      this.leaving = this.leave(TRAVEL)
      try {
        await this.leaving
      } finally {
        this.leaving = null
      }
    }
    this.open += 1
  }

  /** Whether no socket is open and nothing is under way, once events are published. */
  private async mayLeave(travel: Travel): Promise<boolean> {
    const { program } = this.running
    if (this.fixtures.length > 0) return false
    if (!(await this.start.hosted.isAtRest())) return false
    program.relay.drain()
    return reasonToStay(program, travel) === null
  }

  after(): void {
    this.open -= 1
  }

  private async leave(travel: Travel): Promise<void> {
    const { createCell, clock, hosted } = this.start
    if (!(await this.mayLeave(travel))) return
    const old = this.running
    clock.stopTimers()
    const next = createCell(Buffer.alloc(32, 8 + (this.times % 200)))
    hosted.replace(next.program)
    this.running = next
    this.nextAt = Math.floor(this.requests * 1.5) + FIRST
    this.times += 1
    Object.assign(next.program.http.settings, old.program.http.settings)
    await travelTo(old.program, next.program, travel)
    vouchAgain(old.program, next.program)
    await signInAgain(old.program, next.program, this.clients)
    old.close()
    this.followers.push(followerOf(old.program))
    for (const follow of this.followers) follow(next.program)
  }

  /**
   * Ends with its world. What it left arrives in an empty server once more, also what is under way.
   * Throws if it does not.
   */
  async end(): Promise<void> {
    requestWatches.delete(this.start.url)
    const { program } = this.running
    if (TRAVEL === null || !areActive(program)) return
    if (this.fixtures.some((fixture) => UNREADABLE.includes(fixture))) return
    const next = this.start.createCell(Buffer.alloc(32, 7))
    try {
      await travelTo(program, next.program, TRAVEL)
    } finally {
      next.close()
    }
  }
}
