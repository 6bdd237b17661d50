import { LaneThreads, type ReadThread, type ThreadLimits } from './lane'
import type { ReadCtx } from './read-ctx'
import { runRead, type Lane, type Reader } from './reader'

/** The JSON of a value. */
export type JsonText<T> = string & { readonly of?: T }

/** Returns the value of a JSON text that a read has written. */
export const valueOf = <T>(text: JsonText<T>): T => JSON.parse(text) as T

const LIMITS: Record<Lane, ThreadLimits> = {
  list: { threads: 2, maxRunMs: 2_000, maxWaitMs: 10_000 },
  long: { threads: 1, maxRunMs: 20_000, maxWaitMs: 20_000 },
}

/**
 * Runs reads in threads, each with a connection of its own, so that a long read delays nobody.
 * A database in memory is read in place.
 */
export class ReadPool {
  private lanes: Record<Lane, LaneThreads> | null = null

  /** From now on reads run in threads, which `open` starts on the database at `path`. */
  useThreads(path: string, open: () => ReadThread, limits = LIMITS): void {
    const opened = (): ReadThread => {
      const thread = open()
      thread.postMessage({ open: path })
      return thread
    }
    this.lanes = {
      list: new LaneThreads(limits.list, opened),
      long: new LaneThreads(limits.long, opened),
    }
  }

  /**
   * Returns the answer of a read as JSON text, which a route returns as it is. Sees everything that
   * is committed now. Throws the errors of the read, and UnavailableError if it takes too long or too
   * many reads wait.
   */
  async text<Query, Answer>(
    reader: Reader<Query, Answer>,
    { db, organizationId, actor, clock }: ReadCtx,
    query: Query,
  ): Promise<JsonText<Answer>> {
    if (!this.lanes)
      return runRead(reader, { db, organizationId, actor, clock }, structuredClone(query))
    const order = { name: reader.name, organizationId, actor, nowMs: clock.nowMs(), query }
    return await this.lanes[reader.lane(query)].read(order)
  }

  /** Returns the answer of a read. For jobs and files; a route returns the text. */
  async value<Query, Answer>(
    reader: Reader<Query, Answer>,
    ctx: ReadCtx,
    query: Query,
  ): Promise<Answer> {
    return valueOf(await this.text(reader, ctx, query))
  }

  /**
   * Runs work while no long read runs, at the latest after the time that one may take. Short reads
   * are over before they disturb anybody, so lists go on.
   */
  readonly whilePaused = async <T>(work: () => Promise<T>): Promise<T> => {
    const long = this.lanes?.long
    await long?.pause()
    try {
      return await work()
    } finally {
      long?.resume()
    }
  }

  /** Ends the threads. */
  async end(): Promise<void> {
    const lanes = Object.values(this.lanes ?? {})
    this.lanes = null
    await Promise.all(lanes.map((lane) => lane.end()))
  }
}
