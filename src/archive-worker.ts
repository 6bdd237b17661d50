import { problemOf } from './modules/data/organization-archive/write/problems'
import type { ArchiveOrder } from './modules/data/organization-archive/write/order'
import { writeArchiveOf } from './modules/data/organization-archive/write/write-archive'

/** Runs in its own thread: writing the archive of a large organization takes minutes. */
declare const self: {
  onmessage: ((event: MessageEvent<ArchiveOrder>) => void) | null
  postMessage(answer: unknown): void
}

self.onmessage = ({ data }) => {
  try {
    self.postMessage({ facts: writeArchiveOf(data) })
  } catch (error) {
    const problem = problemOf(error)
    if (problem === null)
      self.postMessage({ error: error instanceof Error ? error.message : 'failed' })
    else self.postMessage({ facts: { problem } })
  }
}
