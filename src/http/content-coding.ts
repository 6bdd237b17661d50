import { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'

/** Whether a client takes a content coding (RFC 9110, 12.5.3). */
export const takesCoding = (request: Request, coding: 'br' | 'gzip' | 'zstd'): boolean =>
  new RegExp(`(?:^|[,\\s])${coding}(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(
    request.headers.get('accept-encoding') ?? '',
  )

/** Whether a client has the version of a file with this tag already (RFC 9110, 13.1.2). */
export function knowsTag(request: Request, etag: string): boolean {
  const tags = (request.headers.get('if-none-match') ?? '').split(',')
  return tags.some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}

/** A coding of answers that are made for one request. */
export type LiveCoding = 'zstd' | 'gzip'

/**
 * An opened conversation of fifty messages has 65 KB of JSON. It becomes 6.7 KB with zstd in 62 µs, and
 * with gzip 9.6 KB at level 1 in 49 µs, 7.4 KB at level 3 in 112 µs, 7.1 KB at level 6 in 216 µs.
 */
const LEVEL = 3

/** Bytes that are compressed on the thread at once: about half a millisecond. */
const MAX_AT_ONCE = 64 * 1_024

const gzipBeside = promisify(gzip)

/** Returns the best coding that a client takes: browsers but Safari take zstd; `null` for none. */
export const liveCodingOf = (request: Request): LiveCoding | null =>
  (['zstd', 'gzip'] as const).find((coding) => takesCoding(request, coding)) ?? null

/** Compresses a body: a small one at once, a larger one beside the thread. */
export async function coded(
  bytes: Uint8Array<ArrayBuffer>,
  coding: LiveCoding,
): Promise<Uint8Array<ArrayBuffer>> {
  const options = { level: LEVEL } as const
  const isSmall = bytes.length <= MAX_AT_ONCE
  if (coding === 'zstd')
    return new Uint8Array(
      isSmall ? Bun.zstdCompressSync(bytes, options) : await Bun.zstdCompress(bytes, options),
    )
  return isSmall ? Bun.gzipSync(bytes, options) : new Uint8Array(await gzipBeside(bytes, options))
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
