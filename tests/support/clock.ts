import type { Clock } from '../../src/lib/clock'
import type { Ids } from '../../src/lib/ids'
import { randomText } from '../../src/lib/random'

/** A clock that stands still until it is moved. */
export class MovableClock implements Clock {
  private readonly alarms = new Set<{ atMs: number; work: () => void }>()

  constructor(private atMs: number) {}

  nowMs(): number {
    return this.atMs
  }

  /** Moves the time on, never back; what waits for a moment up to then happens within this call. */
  advance(by: { hours?: number; minutes?: number; seconds?: number; ms?: number }): void {
    this.atMs +=
      ((by.hours ?? 0) * 60 + (by.minutes ?? 0)) * 60_000 + (by.seconds ?? 0) * 1_000 + (by.ms ?? 0)
    for (const alarm of [...this.alarms].filter(({ atMs }) => atMs <= this.atMs))
      if (this.alarms.delete(alarm)) alarm.work()
  }

  after(delayMs: number, work: () => void): () => void {
    const alarm = { atMs: this.atMs + delayMs, work }
    this.alarms.add(alarm)
    return () => void this.alarms.delete(alarm)
  }
}

/**
 * UUIDs of version 7 that count up, so that runs are repeatable and ids sort by the order they were
 * made; `count` is how many were made already.
 */
export function countingIds(count = 0): Ids & { readonly count: number } {
  return {
    get count() {
      return count
    },
    next() {
      count += 1
      return `01900000-0000-7000-8000-${count.toString(16).padStart(12, '0')}`
    },
    suffix: () => randomText(8, 'abcdefghijklmnopqrstuvwxyz0123456789'),
  }
}
