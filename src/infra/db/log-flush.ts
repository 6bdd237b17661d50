import type { Database } from 'bun:sqlite'
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'

import { emptyLog } from '../checkpoints/thread'

const synchronize = promisify(fdatasync)

/** Name of a database without a file, and so without a log. */
const IN_MEMORY = ':memory:'

const FLUSHED = Promise.resolve()

/**
 * Flushes the write-ahead log to disk beside the thread, for transactions that share a flush
 * (`transact`). One flush covers everything that was committed before it began.
 */
export class LogFlush {
  /** Whether something was committed since the last flush began. */
  private isBehind = false
  private running: Promise<void> | null = null
  private next: Promise<void> | null = null
  /** Whether a flush has failed, so that the disk may lack pages that the system believes written. */
  private hasFailed = false

  /** Runs work while nobody reads. */
  whilePaused: <T>(work: () => Promise<T>) => Promise<T> = (work) => work()

  private readonly path: string

  constructor(private readonly sqlite: Database) {
    this.path = `${sqlite.filename}-wal`
  }

  /** Records a commit that was not flushed. */
  committed(): void {
    this.isBehind = this.sqlite.filename !== IN_MEMORY
  }

  /** Whether everything committed so far is on disk. */
  get isDone(): boolean {
    return !this.isBehind && this.running === null
  }

  /** Resolves when everything committed so far is on disk. Rejects with a storage error. */
  done(): Promise<void> {
    if (!this.isBehind) return this.running ?? FLUSHED
    return (this.next ??= this.flushAfter(this.running))
  }

  /** Flushes everything committed so far and holds the thread meanwhile. Throws a storage error. */
  now(): void {
    this.isBehind = false
    try {
      if (this.hasFailed) this.rewrite()
      else this.flushNow()
      this.hasFailed = false
    } catch (cause) {
      throw this.failed(cause)
    }
  }

  private flushNow(): void {
    const file = this.open()
    try {
      fdatasyncSync(file)
    } finally {
      closeSync(file)
    }
  }

  private async flushAfter(earlier: Promise<void> | null): Promise<void> {
    await earlier?.catch(() => undefined) // reported to those who wait for it
    this.running = this.next
    this.next = null
    this.isBehind = false
    try {
      await (this.hasFailed ? this.whilePaused(async () => this.rewrite()) : this.flush())
      this.hasFailed = false
    } catch (cause) {
      throw this.failed(cause)
    } finally {
      this.running = null
    }
  }

  private failed(cause: unknown): Error {
    this.hasFailed = true
    this.isBehind = true
    const error = new Error('the log of the database was not flushed', { cause })
    return Object.assign(error, { code: 'SQLITE_IOERR_FSYNC' })
  }

  private async flush(): Promise<void> {
    const file = this.open()
    try {
      await synchronize(file)
    } finally {
      closeSync(file)
    }
  }

  private open(): number {
    return openSync(this.path, 'r')
  }

  /** Writes the pages of the log to the database itself: after a failure, a flush proves nothing. */
  private rewrite(): void {
    if (!emptyLog(this.sqlite)) throw new Error('a reader holds the log')
  }
}
