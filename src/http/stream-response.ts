import { requestFacts } from './request-facts'
import { yieldToEventLoop } from '../infra/event-loop'

/**
 * Streams bytes that are generated while they are sent, as fast as the client reads them. Other
 * work runs before each chunk. Bytes are counted, because the time limit depends on their number.
 */
export function streamed(
  request: Request,
  pieces: AsyncIterator<Uint8Array> | Iterator<Uint8Array>,
): ReadableStream<Uint8Array> {
  let bytes = 0
  requestFacts(request).sent = () => bytes
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // The runtime reads available chunks by the hundred.
      await yieldToEventLoop()
      const next = await pieces.next()
      if (next.done === true) return controller.close()
      bytes += next.value.byteLength
      controller.enqueue(next.value)
    },
    async cancel() {
      await pieces.return?.()
    },
  })
}
