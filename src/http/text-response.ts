import { contentDisposition } from './content-disposition'
import { gzippedStream, takesCoding } from './content-coding'
import { streamed } from './stream-response'

const encoder = new TextEncoder()

async function* encoded(pieces: Pieces): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield encoder.encode(piece)
}

/** Parts of a text, which are made one after the other. */
export type Pieces = Iterable<string> | AsyncIterable<string>

/** A text file that is generated while it is sent. */
export interface TextFile {
  filename: string
  mimeType: string
  pieces: Pieces
  /** The content security policy of a file that is displayed; files without one are saved. */
  contentSecurity?: string | undefined
}

/** Responds with a file that is generated while it is sent, as fast as the client reads it. */
export function textFileResponse(
  request: Request,
  { filename, mimeType, pieces, contentSecurity }: TextFile,
): Response {
  const stream = streamed(request, encoded(pieces))
  const isCompressed = takesCoding(request, 'gzip')
  return new Response(isCompressed ? gzippedStream(stream) : stream, {
    headers: {
      vary: 'Accept-Encoding',
      ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
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
