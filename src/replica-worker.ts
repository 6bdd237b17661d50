import { newestChangeMs } from './infra/replica/read'

/** Reads the database of a follower in its own thread, because the file may be on a mount that hangs. */
declare const self: {
  onmessage: ((event: MessageEvent<string>) => void) | null
  postMessage(newestMs: number | null): void
}

self.onmessage = ({ data: path }) => self.postMessage(newestChangeMs(path))
