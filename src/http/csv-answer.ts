import { contentDisposition } from './disposition'

/** Answers with a CSV file that is made while it is sent, piece by piece, as fast as the client takes it. */
export function csvAnswer(filename: string, pieces: Iterator<string>): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = pieces.next()
      if (next.done === true) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
    cancel() {
      pieces.return?.()
    },
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': contentDisposition('attachment', filename),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}
