/** Timers that can be canceled together, so that a stopped simulator leaves nothing running. */
export class Timers {
  readonly #pending = new Map<ReturnType<typeof setTimeout>, () => void>()

  /**
   * Runs the work after the delay, unless the timers are cleared first. Returns a function that
   * cancels it.
   */
  after(delayMs: number, work: () => void): () => void {
    const timer = setTimeout(() => {
      this.#pending.delete(timer)
      work()
    }, delayMs)
    this.#pending.set(timer, () => undefined)
    return () => this.#cancel(timer)
  }

  /** Waits for the delay, or until the timers are cleared. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#pending.delete(timer)
        resolve()
      }, delayMs)
      this.#pending.set(timer, resolve)
    })
  }

  /** Cancels every timer and wakes up all sleepers. */
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
