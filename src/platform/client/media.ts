import { type IncomingMessage } from 'node:http'
import { failureWithoutAnswer, readAnswer, type AnswerContext } from './response'
import { numberOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { PlatformError } from './errors'
import {
  type Prepared,
  type StreamLimits,
  type Watch,
  brokenOff,
  causeOf,
  send,
  wholeOf,
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
export function readMediaFacts(answer: JsonObject): MediaFacts {
  const url = wordOf(answer.url)
  if (url === null) throw failureWithoutAnswer('ambiguous', 200, 'no_url')
  return {
    url,
    mimeType: wordOf(answer.mime_type),
    sha256: wordOf(answer.sha256),
    sizeBytes: numberOf(answer.file_size),
  }
}

/** Returns a permanent failure in the form of the platform's own errors. */
export const refusedByUs = (details: string): PlatformError =>
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
export function isMediaAddress(written: string, base: URL, hosts: readonly string[]): boolean {
  const url = URL.parse(written)
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
  how: {
    signal?: AbortSignal | undefined
    limits: StreamLimits
    maxBytes: number
    context: AnswerContext
  },
): Promise<IncomingFile> {
  const headers = { ...prepared.headers, accept: '*/*', 'user-agent': USER_AGENT }
  const { answer, watched } = await send({ url: prepared.url, headers }, 'GET', how.limits, {
    signal: how.signal,
  })
  const status = answer.statusCode ?? 0
  if (status >= 300 && status < 400) {
    watched.end()
    answer.destroy()
    throw refusedByUs('redirected')
  }
  if (status !== 200) {
    readAnswer(await wholeOf(answer, how.limits.maxAnswerBytes, watched), how.context)
    throw brokenOff('not_a_file', status)
  }
  const declared = Number(answer.headers['content-length'] ?? Number.NaN)
  if (declared > how.maxBytes) {
    watched.end()
    answer.destroy()
    throw refusedByUs('too_large')
  }
  return {
    sizeBytes: Number.isNaN(declared) ? null : declared,
    bytes: piecesOf(answer, watched, how.maxBytes),
  }
}

async function* piecesOf(
  answer: IncomingMessage,
  watched: Watch,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const piece of answer as AsyncIterable<Uint8Array>) {
      size += piece.length
      if (size > maxBytes) throw refusedByUs('too_large')
      yield piece
    }
    if (!answer.complete) throw brokenOff('connection_lost')
  } catch (error) {
    throw error instanceof PlatformError ? error : brokenOff(causeOf(error, watched))
  } finally {
    watched.end()
    answer.destroy()
  }
}
