import { afterAll } from 'bun:test'

/** Timers that neither ran nor were cleared, each with the stack that started it. */
const pending = new Map<unknown, Error>()

const {
  setTimeout: startTimeout,
  setInterval: startInterval,
  clearTimeout: stopTimeout,
  clearInterval: stopInterval,
} = globalThis

/**
 * A timer must not outlive its test run, because it could disturb later tests. Code that starts one
 * must stop it.
 */
function watchTimers(): void {
  const timeout = (work: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): Timer => {
    const run = (): void => {
      pending.delete(timer)
      work(...args)
    }
    const timer = startTimeout(run, ms)
    pending.set(timer, new Error('setTimeout'))
    return timer
  }
  const interval = (work: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): Timer => {
    const timer = startInterval(work, ms, ...args)
    pending.set(timer, new Error('setInterval'))
    return timer
  }
  const stop = (timer?: Timer): void => {
    pending.delete(timer)
    stopTimeout(timer)
    stopInterval(timer)
  }
  globalThis.setTimeout = Object.assign(timeout, startTimeout) as typeof setTimeout
  globalThis.setInterval = Object.assign(interval, startInterval) as typeof setInterval
  globalThis.clearTimeout = stop as typeof clearTimeout
  globalThis.clearInterval = stop as typeof clearInterval
}

/**
 * Returns where the remaining timers were started, without those that would not keep a process
 * alive.
 */
const leftTimers = (): string[] =>
  [...pending]
    .filter(([timer]) => (timer as Timer).hasRef())
    .map(([, place]) => place.stack ?? place.message)

watchTimers()

afterAll(async () => {
  // Bun ends the run with the last test; without this pause, a promise rejected just after it would
  // go unnoticed.
  await Bun.sleep(20)
  const left = leftTimers()
  if (left.length > 0)
    throw new Error(`${left.length} timers were left running:\n${left.join('\n')}`)
})
