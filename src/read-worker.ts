import { openReadDb, type ReadDb } from './infra/db/connection'
import type { ThreadAnswer, ThreadOrder } from './infra/read/lane'
import { errorData } from './infra/read/read-error'
import { runRead } from './infra/read/reader'
import { readerCalled } from './readers'

/** Runs in its own thread: a list or a report may take longer than other requests can wait. */
declare const self: {
  onmessage: ((event: MessageEvent<ThreadOrder>) => void) | null
  postMessage(answer: ThreadAnswer): void
}

let db: ReadDb | null = null

self.onmessage = ({ data }) => {
  if (data === 'end') {
    db?.sqlite.close()
    self.postMessage('ended')
  } else if ('open' in data) {
    db = openReadDb(data.open)
    self.postMessage('open')
  } else self.postMessage(answerOf(data))
}

function answerOf({ id, order }: Exclude<ThreadOrder, 'end' | { open: string }>): ThreadAnswer {
  const { name, organizationId, actor, nowMs, query } = order
  try {
    if (!db) throw new Error('no database is open')
    const ctx = { db, organizationId, actor, clock: { nowMs: () => nowMs } }
    return { id, text: runRead(readerCalled(name), ctx, query) }
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return { id, error: errorData(error) ?? { message, stack } }
  }
}
