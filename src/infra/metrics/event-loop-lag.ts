/** Who asks how long the longest delay was, each since they last asked. */
const READERS = ['metrics', 'figures'] as const
type LagReader = (typeof READERS)[number]

/** Measures how late timers fire, which is how long all other work waits. */
export interface LoopLag {
  /** Returns the longest delay since this reader last asked, seconds. */
  take(reader: LagReader): number
  stop(): void
}

const EVERY_MS = 100

/** Measures the delay of the event loop ten times a second, until it is stopped. */
export function measureLoopLag(): LoopLag {
  const longestMs = { metrics: 0, figures: 0 }
  let dueMs = performance.now() + EVERY_MS
  const lateMs = (): number => Math.max(0, performance.now() - dueMs)
  const timer = setInterval(() => {
    for (const reader of READERS) longestMs[reader] = Math.max(longestMs[reader], lateMs())
    dueMs = performance.now() + EVERY_MS
  }, EVERY_MS)
  timer.unref()
  return {
    take(reader) {
      const seconds = Math.max(longestMs[reader], lateMs()) / 1_000
      longestMs[reader] = 0
      return seconds
    },
    stop: () => clearInterval(timer),
  }
}
