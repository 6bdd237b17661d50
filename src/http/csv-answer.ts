import { contentDisposition } from './disposition'
import { streamed } from './streamed'

const encoder = new TextEncoder()

function* encoded(pieces: Iterator<string>): Generator<Uint8Array> {
  try {
    for (let next = pieces.next(); next.done !== true; next = pieces.next()) yield encoder.encode(next.value)
  } finally {
    pieces.return?.()
  }
}

/** Answers with a CSV file that is made while it is sent, piece by piece, as fast as the client takes it. */
export function csvAnswer(request: Request, filename: string, pieces: Iterator<string>): Response {
  return new Response(streamed(request, encoded(pieces)), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': contentDisposition('attachment', filename),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}
