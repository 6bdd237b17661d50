import { type IncomingMessage } from 'node:http'
import { failureWithoutDetails, readResponse, type ResponseContext } from './response'
import { sizeOf, mimeTypeOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { PlatformError } from './errors'
import {
  type Prepared,
  type StreamLimits,
  type TimeoutGuard,
  retryableFailure,
  causeOf,
  send,
  readAll,
} from './streamed-call'

/** Without a user agent, some platform hosts answer with a web page instead of the file. */
const USER_AGENT = 'Mozilla/5.0 (compatible; Switchboard)'

/** Facts about a media file. `url` is valid for five minutes. */
export interface MediaFacts {
  url: string
  mimeType: string | null
  /** Base64. */
  sha256: string | null
  sizeBytes: number | null
}

/** A downloaded file, read as a stream. */
export interface IncomingFile {
  /** Declared length, if any. */
  sizeBytes: number | null
  /** May throw PlatformError while being read. */
  bytes: AsyncIterable<Uint8Array>
}

/** Reads the facts of a media file. Throws PlatformError if the response has no URL. */
export function readMediaFacts(response: JsonObject): MediaFacts {
  const url = wordOf(response.url)
  if (url === null) throw failureWithoutDetails('ambiguous', 200, 'no_url')
  return {
    url,
    mimeType: mimeTypeOf(response.mime_type),
    sha256: wordOf(response.sha256),
    sizeBytes: sizeOf(response.file_size),
  }
}

/** Returns a permanent failure in the form of the platform's own errors. */
export const permanentFailure = (details: string): PlatformError =>
  new PlatformError({
    outcome: 'refused',
    platformCode: null,
    subcode: null,
    httpStatus: null,
    retryClass: 'other',
    retryAfterMs: null,
    details,
    traceId: null,
    platformMessage: null,
  })

/**
 * Reports whether the token may be sent to a URL from the platform: the host is a media host, and
 * the scheme is that of the Graph API or https.
 */
export function isMediaUrl(text: string, base: URL, hosts: readonly string[]): boolean {
  const url = URL.parse(text)
  if (!url || url.username !== '' || url.password !== '') return false
  if (url.protocol !== 'https:' && !(base.protocol === 'http:' && url.protocol === 'http:'))
    return false
  return url.host === base.host || hosts.includes(url.host)
}

/**
 * Opens a file at a URL from the platform, with the token. Refuses redirects, because the token
 * must not go to another host. Throws PlatformError, also while the bytes are read.
 */
export async function openFile(
  prepared: Prepared,
  options: {
    signal?: AbortSignal | undefined
    limits: StreamLimits
    maxBytes: number
    context: ResponseContext
  },
): Promise<IncomingFile> {
  const headers = { ...prepared.headers, accept: '*/*', 'user-agent': USER_AGENT }
  const { response, guard } = await send({ url: prepared.url, headers }, 'GET', options.limits, {
    signal: options.signal,
  })
  const status = response.statusCode ?? 0
  if (status >= 300 && status < 400) {
    guard.end()
    response.destroy()
    throw permanentFailure('redirected')
  }
  if (status !== 200) {
    readResponse(await readAll(response, options.limits.maxResponseBytes, guard), options.context)
    throw retryableFailure('not_a_file', status)
  }
  const declaredBytes = Number(response.headers['content-length'] ?? Number.NaN)
  if (declaredBytes > options.maxBytes) {
    guard.end()
    response.destroy()
    throw permanentFailure('too_large')
  }
  return {
    sizeBytes: Number.isNaN(declaredBytes) ? null : declaredBytes,
    bytes: chunksOf(response, guard, options.maxBytes),
  }
}

async function* chunksOf(
  response: IncomingMessage,
  guard: TimeoutGuard,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > maxBytes) throw permanentFailure('too_large')
      yield chunk
    }
    if (!response.complete) throw retryableFailure('connection_lost')
  } catch (error) {
    throw error instanceof PlatformError ? error : retryableFailure(causeOf(error, guard))
  } finally {
    guard.end()
    response.destroy()
  }
}
