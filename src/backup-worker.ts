import { copyDatabase, type CopyOrder } from './infra/backup/copy-database'

/**
 * A thread of its own: copying and proving a large database takes minutes, and the server goes on
 * meanwhile.
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
