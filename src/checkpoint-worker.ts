import { emptyLogOf, checkpointContinuously, type CheckpointLoop } from './infra/checkpoints/loop'
import type { CheckpointAnswer, CheckpointOrder } from './infra/checkpoints/thread'

/** Runs in its own thread: a checkpoint waits for the disk while the server runs. */
declare const self: {
  onmessage: ((event: MessageEvent<CheckpointOrder>) => void) | null
  postMessage(answer: CheckpointAnswer): void
}

let work: CheckpointLoop | null = null

self.onmessage = ({ data }) => {
  if (data === 'now') return work?.now()
  if (typeof data === 'object' && 'emptied' in data)
    return void emptyLogOf(data.emptied).then((isEmptied) => self.postMessage({ isEmptied }))
  work?.end()
  work = null
  if (data === 'end') self.postMessage('ended')
  else work = checkpointContinuously(data.path, (state) => self.postMessage(state))
}
