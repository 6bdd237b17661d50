import { readConfig } from '../config'
import { createProgram, filesOf, platformOf, type Program } from '../container'
import { openDataDir } from '../infra/data-dir'
import { claimDataDir } from '../infra/fence'
import { Worker } from '../infra/jobs/worker'
import { openLog } from '../infra/log'
import type { Clock } from '../lib/clock'
import { timeSortedIds } from '../lib/ids'
import { listenFor } from '../listen'
import { openStorage } from '../migrate'
import { SweepBot } from '../modules/automation/chatbot/jobs'
import { RunDueTransfers } from '../modules/automation/transfers/jobs'
import { openSecrets } from '../secrets'

/** A clock that is moved on by hand, and ticks between two moves. */
export class PastClock implements Clock {
  private readonly alarms = new Set<{ atMs: number; work: () => void }>()
  private movedAtMs = performance.now()

  constructor(private atMs: number) {}

  nowMs(): number {
    return Math.floor(this.atMs + performance.now() - this.movedAtMs)
  }

  after(delayMs: number, work: () => void): () => void {
    const alarm = { atMs: this.nowMs() + delayMs, work }
    this.alarms.add(alarm)
    return () => void this.alarms.delete(alarm)
  }

  /** Moves on to a time, if it is later. */
  moveTo(ms: number): void {
    if (ms <= this.nowMs()) return
    this.atMs = ms
    this.movedAtMs = performance.now()
    for (const alarm of [...this.alarms])
      if (alarm.atMs <= ms && this.alarms.delete(alarm)) alarm.work()
  }
}

/**
 * The whole program in the past. It does what the server would have done then, in the same code and
 * the same database, as fast as the machine can. Most of what the server does by the clock alone,
 * such as its nightly work, waits for the start of the real one.
 */
export class PastServer {
  private constructor(
    readonly program: Program,
    readonly clock: PastClock,
    readonly url: string,
    private readonly worker: Worker,
    private readonly timekeeper: Worker,
    private readonly end: () => Promise<void>,
  ) {}

  /** Opens the program on a new data folder. */
  static async open(
    variables: Record<string, string>,
    clock: PastClock,
    random: () => number,
  ): Promise<PastServer> {
    const config = readConfig({ ...variables, ...UNLIMITED })
    const dir = openDataDir(config.dataDir)
    const claim = await claimDataDir(dir, () => process.exit(1))
    const log = openLog({ level: config.logLevel, format: config.logFormat })
    const { db } = await openStorage(dir, {
      synchronous: config.dbSynchronous,
      cacheMib: config.dbCacheMib,
      clock,
      migrates: true,
      elsewhere: () => Promise.resolve([]),
    })
    const secrets = openSecrets(config, dir, { wasUsed: false, isServer: true })
    const platform = platformOf(config, clock)
    const around = { clock, ids: timeSortedIds(clock), random, log, db, platform }
    const program = createProgram(config, secrets, { ...around, files: filesOf(dir) }, dir.path)
    const server = listenFor(program, { host: '127.0.0.1', port: 0 })
    const { registry } = program
    const worker = new Worker(program.http, { ...registry, schedules: [] })
    const schedules = registry.schedules.filter(({ name }) => KEPT_BY_CLOCK.includes(name))
    const timekeeper = new Worker(program.http, { ...registry, schedules })
    const end = async (): Promise<void> => {
      await server.stop(true)
      program.journal.close()
      for (const part of [platform, program.http.fetchGuarded, program.http.cellClient])
        part.close()
      await program.http.reads.end()
      db.sqlite.run('pragma wal_checkpoint(truncate)')
      db.sqlite.close()
      claim.release()
    }
    const url = `http://127.0.0.1:${server.port}`
    return new PastServer(program, clock, url, worker, timekeeper, end)
  }

  /** Does everything that is due. */
  work(): Promise<void> {
    return this.worker.runUntilIdle(this.drain)
  }

  /** Does what is due by the clock alone too: ends conversations with the bot and late transfers. */
  keepTime(): Promise<void> {
    return this.timekeeper.runUntilIdle(this.drain)
  }

  private readonly drain = (): number => {
    const { relay, ingest, webhookReader } = this.program
    return relay.drain() + ingest.step() + webhookReader.step()
  }

  /** Closes the program and the database. */
  close(): Promise<void> {
    return this.end()
  }
}

/** Schedules without which the figures of the past would be others. */
const KEPT_BY_CLOCK: string[] = [SweepBot.name, RunDueTransfers.name]

/** The past passes too quickly for limits per minute. */
const UNLIMITED = { RATE_STANDARD: '1000000', RATE_BULK: '1000000' }
