/** Measures how late timers fire, which is how long all other work waits. */
export interface LoopLag {
  /** Returns the longest delay since the last call, seconds. */
  take(): number
  stop(): void
}

const EVERY_MS = 100

/** Measures the delay of the event loop ten times a second, until it is stopped. */
export function measureLoopLag(): LoopLag {
  let longestMs = 0
  let dueMs = performance.now() + EVERY_MS
  const lateMs = (): number => Math.max(0, performance.now() - dueMs)
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, lateMs())
    dueMs = performance.now() + EVERY_MS
  }, EVERY_MS)
  timer.unref()
  return {
    take() {
      const seconds = Math.max(longestMs, lateMs()) / 1_000
      longestMs = 0
      return seconds
    },
    stop: () => clearInterval(timer),
  }
}
