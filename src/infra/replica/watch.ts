import { SECOND_MS, type Clock } from '../../lib/clock'
import type { Log } from '../log'

/** How often the follower is read, milliseconds. */
const EVERY_MS = 10 * SECOND_MS

/**
 * Age from which a follower stands still: a schedule runs every 30 seconds, and the copy may lag by
 * some seconds.
 */
export const MAX_REPLICA_AGE_MS = 45 * SECOND_MS

/** The thread that reads the file. */
export interface ReplicaReader {
  onmessage: ((event: MessageEvent<number | null>) => void) | null
  postMessage(path: string): void
  terminate(): void
}

/**
 * Observes how far a follower is behind. The file may be on another machine, so a thread reads it:
 * a mount that hangs must not stop the server. Logs an error when the follower stands still, because
 * it may do so without a word.
 */
export class ReplicaWatch {
  private newestMs: number
  private isStill = false
  private reader: ReplicaReader | null = null
  private reading: PromiseWithResolvers<void> | null = null
  private timer: ReturnType<typeof setInterval> | null = null

  constructor(
    private readonly deps: { clock: Clock; log: Pick<Log, 'error' | 'info'> },
    /** Path of the follower's database; `null` without a follower. */
    private readonly path: string | null,
    private readonly open: () => ReplicaReader,
  ) {
    this.newestMs = deps.clock.nowMs()
  }

  /** Seconds since the newest change that the follower has; 0 without a follower. */
  get ageS(): number {
    return this.path === null ? 0 : Math.max(0, this.deps.clock.nowMs() - this.newestMs) / SECOND_MS
  }

  /** Reads the follower now and every ten seconds. */
  start(): void {
    if (this.path === null) return
    this.reader = this.open()
    const look = (): void => {
      this.look().catch((error: unknown) => this.deps.log.error({ error }, 'follower not read'))
    }
    look()
    this.timer = setInterval(look, EVERY_MS)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
    this.reader?.terminate()
    this.reading?.resolve()
  }

  /** Reads the follower, unless it is being read, and reports when it stands still. */
  async look(): Promise<void> {
    const { path, reader } = this
    if (path === null || reader === null) return
    if (this.reading === null) {
      this.reading = Promise.withResolvers<void>()
      const { resolve } = this.reading
      reader.onmessage = ({ data }) => {
        if (data !== null) this.newestMs = data
        this.reading = null
        resolve()
      }
      reader.postMessage(path)
    } else this.report(path) // the file hangs
    await this.reading.promise
    this.report(path)
  }

  private report(path: string): void {
    const isStill = this.ageS * SECOND_MS > MAX_REPLICA_AGE_MS
    if (isStill && !this.isStill)
      this.deps.log.error(
        { replica: path, age_s: Math.round(this.ageS) },
        'the follower stands still; what changes now is lost if this machine fails',
      )
    if (!isStill && this.isStill)
      this.deps.log.info({ replica: path }, 'the follower follows again')
    this.isStill = isStill
  }
}
