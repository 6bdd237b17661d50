import { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'

/** Whether a client takes a content coding (RFC 9110, 12.5.3). */
export const takesCoding = (request: Request, coding: 'br' | 'gzip'): boolean =>
  new RegExp(`(?:^|[,\\s])${coding}(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(
    request.headers.get('accept-encoding') ?? '',
  )

/** Whether a client has the version of a file with this tag already (RFC 9110, 13.1.2). */
export function knowsTag(request: Request, etag: string): boolean {
  const tags = (request.headers.get('if-none-match') ?? '').split(',')
  return tags.some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}

/** Higher levels take several times as long for a tenth fewer bytes. */
const LEVEL = 1

/** Bytes that are compressed on the thread at once: about half a millisecond. */
const MAX_AT_ONCE = 64 * 1_024

const gzipBeside = promisify(gzip)

/** Compresses a body: a small one at once, a larger one beside the thread. */
export async function gzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes.length <= MAX_AT_ONCE) return Bun.gzipSync(bytes, { level: LEVEL })
  return new Uint8Array(await gzipBeside(bytes, { level: LEVEL }))
}

/** Compresses a stream beside the thread, while it is sent. */
export const gzippedStream = (stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  stream.pipeThrough(gzipTransform())

// Node's type of the pair differs from that of the platform by the type of its chunks only.
const gzipTransform = () =>
  Duplex.toWeb(createGzip({ level: LEVEL })) as unknown as ReadableWritablePair<
    Uint8Array,
    Uint8Array
  >
