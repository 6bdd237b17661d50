/** The answer of a thread. */
type Answer<Facts> = { facts: Facts } | { error: string }

/** The part of a thread that is used here. */
export interface Thread<Order, Facts> {
  onmessage: ((event: MessageEvent<Answer<Facts>>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  postMessage(order: Order): void
  terminate(): void
}

/**
 * Runs slow work in its own thread, which ends afterwards. Throws the thread's error, and when
 * `signal` is aborted.
 */
export function runInThread<Order, Facts>(
  open: () => Thread<Order, Facts>,
): (order: Order, signal: AbortSignal) => Promise<Facts> {
  return async (order, signal) => {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Facts>()
    const thread = open()
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop)
    thread.onmessage = ({ data }) =>
      'facts' in data ? resolve(data.facts) : reject(new Error(data.error))
    thread.onerror = ({ message }) => reject(new Error(message))
    thread.postMessage(order)
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', stop)
      thread.terminate()
    }
  }
}
