/** Timers that can all be ended at once, so that a stopped simulator leaves nothing behind. */
export class Timers {
  readonly #pending = new Map<ReturnType<typeof setTimeout>, () => void>()

  /**
   * Runs the work after the delay, or never when the timers are cleared before. Returns how to call
   * it off.
   */
  after(delayMs: number, work: () => void): () => void {
    const timer = setTimeout(() => {
      this.#pending.delete(timer)
      work()
    }, delayMs)
    this.#pending.set(timer, () => undefined)
    return () => this.#cancel(timer)
  }

  /** Waits that many milliseconds, or less when the timers are cleared before. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#pending.delete(timer)
        resolve()
      }, delayMs)
      this.#pending.set(timer, resolve)
    })
  }

  /** Ends every timer; who sleeps wakes up. */
  clear(): void {
    for (const [timer, wake] of this.#pending) {
      clearTimeout(timer)
      wake()
    }
    this.#pending.clear()
  }

  #cancel(timer: ReturnType<typeof setTimeout>): void {
    clearTimeout(timer)
    this.#pending.delete(timer)
  }
}
