import type { CopyFacts, CopyOrder } from './copy'

/** What the thread answers. */
type Answer = { facts: CopyFacts } | { error: string }

/** The part of a thread that is used here. */
export interface Thread {
  onmessage: ((event: MessageEvent<Answer>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  postMessage(order: CopyOrder): void
  terminate(): void
}

/** Has a database copied by a thread of its own, which ends afterwards. Throws what went wrong there, or when `signal` ends it. */
export function copyInThread(open: () => Thread): (order: CopyOrder, signal: AbortSignal) => Promise<CopyFacts> {
  return async (order, signal) => {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<CopyFacts>()
    const thread = open()
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop)
    thread.onmessage = ({ data }) => ('facts' in data ? resolve(data.facts) : reject(new Error(data.error)))
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
