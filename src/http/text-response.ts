import { contentDisposition } from './content-disposition'
import { streamed } from './stream-response'

const encoder = new TextEncoder()

function* encoded(pieces: Iterator<string>): Generator<Uint8Array> {
  try {
    for (let next = pieces.next(); next.done !== true; next = pieces.next())
      yield encoder.encode(next.value)
  } finally {
    pieces.return?.()
  }
}

/** A file of text that is made while it is sent. */
export interface TextFile {
  filename: string
  mimeType: string
  pieces: Iterator<string>
  /** What a page may load; one that is given is shown, every other file is saved. */
  contentSecurity?: string | undefined
}

/**
 * Answers with a file that is made while it is sent, piece by piece, as fast as the client takes
 * it.
 */
export function textAnswer(
  request: Request,
  { filename, mimeType, pieces, contentSecurity }: TextFile,
): Response {
  return new Response(streamed(request, encoded(pieces)), {
    headers: {
      'content-type': mimeType,
      'content-disposition': contentDisposition(
        contentSecurity === undefined ? 'attachment' : 'inline',
        filename,
      ),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      ...(contentSecurity === undefined ? {} : { 'content-security-policy': contentSecurity }),
    },
  })
}
