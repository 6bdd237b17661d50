import { requestFacts } from './request-facts'
import { yieldToEventLoop } from '../infra/event-loop'

/**
 * Bytes that are made while they are sent, piece by piece, as fast as the client takes them, others
 * getting their turn before each; counted, for the time they may take goes by their number.
 */
export function streamed(
  request: Request,
  pieces: AsyncIterator<Uint8Array> | Iterator<Uint8Array>,
): ReadableStream<Uint8Array> {
  let bytes = 0
  requestFacts(request).sent = () => bytes
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // the runtime takes pieces that are there at once by the hundred
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
