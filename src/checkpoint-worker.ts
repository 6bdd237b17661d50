import { keepCheckpointing } from './infra/checkpoints/loop'
import type { CheckpointAnswer, CheckpointOrder } from './infra/checkpoints/thread'

/** A thread of its own: working the write-ahead log in waits for the disk, and the server goes on meanwhile. */
declare const self: { onmessage: ((event: MessageEvent<CheckpointOrder>) => void) | null; postMessage(answer: CheckpointAnswer): void }

let end = (): void => undefined

self.onmessage = ({ data }) => {
  end()
  end = (): void => undefined
  if (data === 'end') self.postMessage('ended')
  else end = keepCheckpointing(data.path)
}
