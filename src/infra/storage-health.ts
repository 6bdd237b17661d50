import { SECOND_MS, type Clock } from '../lib/clock'
import type { Log } from './log'

/** What keeps the database from being written. */
export type StorageReason = 'full' | 'locked' | 'read_only' | 'failing'

/** What keeps the database from being written, in words. */
export const REASON_MESSAGES: Record<StorageReason, string> = {
  full: 'the disk is full',
  locked: 'another process has locked the database',
  read_only: 'the database is read-only',
  failing: 'the disk reports errors',
}

/** Trouble is over when a change was written and nothing has failed for so long, milliseconds. */
const CALM_MS = 5 * SECOND_MS

/**
 * Remembers whether changes can be written, and says so in the log once when they cannot and once
 * when they can again.
 */
export class StorageWatch {
  private trouble: {
    reason: StorageReason
    sinceMs: number
    lastMs: number
    refused: number
  } | null = null

  constructor(
    private readonly log: Pick<Log, 'info' | 'error'>,
    private readonly clock: Pick<Clock, 'nowMs'>,
  ) {}

  /**
   * What keeps changes from being written now, and since when (epoch milliseconds); `null` when
   * nothing does.
   */
  get state(): { reason: StorageReason; sinceMs: number } | null {
    return this.trouble
  }

  /** A transaction failed for no fault of its own. */
  failed(reason: StorageReason): void {
    const nowMs = this.clock.nowMs()
    if (this.trouble) {
      this.trouble = { ...this.trouble, lastMs: nowMs, refused: this.trouble.refused + 1 }
      return
    }
    this.trouble = { reason, sinceMs: nowMs, lastMs: nowMs, refused: 1 }
    this.log.error(
      { reason },
      `storage unavailable (${REASON_MESSAGES[reason]}); rejecting writes with 503`,
    )
  }

  /** A transaction that changed something was committed. */
  wrote(): void {
    const { trouble } = this
    const nowMs = this.clock.nowMs()
    if (!trouble || (nowMs >= trouble.lastMs && nowMs - trouble.lastMs < CALM_MS)) return
    this.trouble = null
    const seconds = Math.max(0, Math.round((nowMs - trouble.sinceMs) / SECOND_MS))
    this.log.info(
      { reason: trouble.reason, seconds, refused: trouble.refused },
      'storage available again',
    )
  }
}
