import { copyDatabase, type CopyOrder } from './infra/backup/copy-database'
import { faultOfBackup, type VerifyOrder } from './infra/backup/verify'

/**
 * Runs in its own thread: copying and verifying a large database takes minutes while the server
 * runs.
 */
declare const self: {
  onmessage: ((event: MessageEvent<CopyOrder | VerifyOrder>) => void) | null
  postMessage(answer: unknown): void
}

const run = (order: CopyOrder | VerifyOrder): Promise<unknown> =>
  'folder' in order ? faultOfBackup(order) : copyDatabase(order)

self.onmessage = ({ data }) => {
  run(data).then(
    (facts) => self.postMessage({ facts }),
    (error: unknown) =>
      self.postMessage({ error: error instanceof Error ? error.message : 'failed' }),
  )
}
