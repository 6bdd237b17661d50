import type { Clock } from '../../src/lib/clock'
import type { Ids } from '../../src/lib/ids'
import { randomText } from '../../src/lib/random'

/** A clock that only moves when told to. */
export class MovableClock implements Clock {
  private readonly alarms = new Set<{ atMs: number; work: () => void }>()

  constructor(private atMs: number) {}

  nowMs(): number {
    return this.atMs
  }

  /** Advances the time and runs all timers that are due by then. */
  advance(by: { hours?: number; minutes?: number; seconds?: number; ms?: number }): void {
    this.atMs +=
      ((by.hours ?? 0) * 60 + (by.minutes ?? 0)) * 60_000 + (by.seconds ?? 0) * 1_000 + (by.ms ?? 0)
    for (const alarm of [...this.alarms].filter(({ atMs }) => atMs <= this.atMs))
      if (this.alarms.delete(alarm)) alarm.work()
  }

  /** Stops all timers, as the end of a process does. */
  stopTimers(): void {
    this.alarms.clear()
  }

  after(delayMs: number, work: () => void): () => void {
    const alarm = { atMs: this.atMs + delayMs, work }
    this.alarms.add(alarm)
    return () => void this.alarms.delete(alarm)
  }
}

/**
 * Creates sequential UUIDs, so that runs are repeatable and IDs sort by creation. `count`
 * is the number created so far.
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
    random() {
      count += 1
      return `d7e00000-0000-4000-8000-${count.toString(16).padStart(12, '0')}`
    },
    suffix: () => randomText(8, 'abcdefghijklmnopqrstuvwxyz0123456789'),
  }
}
