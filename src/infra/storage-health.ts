import { SECOND_MS, type Clock } from '../lib/clock'
import type { Log } from './log'

/** Why the database cannot be written. */
export type StorageReason = 'full' | 'locked' | 'read_only' | 'failing'

/** Messages for these reasons. */
export const REASON_MESSAGES: Record<StorageReason, string> = {
  full: 'the disk is full',
  locked: 'another process has locked the database',
  read_only: 'the database is read-only',
  failing: 'the disk reports errors',
}

/**
 * Storage counts as available again when a write succeeded and nothing failed for this long,
 * milliseconds.
 */
const CALM_MS = 5 * SECOND_MS

/**
 * Tracks whether the database can be written. Logs once when writes fail and once when they succeed
 * again.
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

  /** Why writes fail now, and since when (epoch milliseconds); `null` if they do not. */
  get state(): { reason: StorageReason; sinceMs: number } | null {
    return this.trouble
  }

  /** Records a transaction that failed because of the storage. */
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
