import { copyDatabase, type CopyOrder } from './infra/backup/copy-database'

/**
 * Runs in its own thread: copying and verifying a large database takes minutes while the server
 * runs.
 */
declare const self: {
  onmessage: ((event: MessageEvent<CopyOrder>) => void) | null
  postMessage(answer: unknown): void
}

self.onmessage = ({ data }) => {
  copyDatabase(data).then(
    (facts) => self.postMessage({ facts }),
    (error: unknown) =>
      self.postMessage({ error: error instanceof Error ? error.message : 'failed' }),
  )
}
