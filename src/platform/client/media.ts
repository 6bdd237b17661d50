import { randomBytes } from 'node:crypto'
import { request as plainRequest, type Agent, type IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { FormDataEncoder, type FormDataLike } from 'form-data-encoder'

import { failureWithoutAnswer, readAnswer, type AnswerContext } from './response'
import type { ExchangeEnd } from './http-call'
import { numberOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { PlatformError } from './errors'

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

/** A file to upload. */
export interface OutgoingFile {
  filename: string
  mimeType: string
  sizeBytes: number
  /** Opens its bytes; called once per request. */
  stream: () => AsyncIterable<Uint8Array>
}

/** A downloaded file, read as a stream. */
export interface IncomingFile {
  /** Declared length, if any. */
  sizeBytes: number | null
  /** May throw PlatformError while being read. */
  bytes: AsyncIterable<Uint8Array>
}

/** URL and headers of a request. */
export interface Prepared {
  url: URL
  headers: Record<string, string>
}

/** Timeouts in milliseconds. */
export interface StreamLimits {
  connectTimeoutMs: number
  totalTimeoutMs: number
  maxAnswerBytes: number
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

/** A request whose stream is guarded by timeouts. */
interface Watch {
  end(): void
  /** Why it was aborted; `null` if it was not. */
  cause(): string | null
}

/** Aborts a request that exceeds its connect or total timeout, or whose caller aborts. */
function watch(
  request: { destroy(error?: Error): unknown },
  limits: Pick<StreamLimits, 'connectTimeoutMs' | 'totalTimeoutMs'>,
  signal?: AbortSignal,
) {
  let why: string | null = null
  const cut = (cause: string): void => {
    why ??= cause
    request.destroy(new Error(cause))
  }
  const connecting = setTimeout(() => cut('connect_timeout'), limits.connectTimeoutMs)
  const total = setTimeout(() => cut('total_timeout'), limits.totalTimeoutMs)
  const onAbort = (): void => cut('aborted')
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) cut('aborted')
  return {
    connected: () => clearTimeout(connecting),
    end() {
      clearTimeout(connecting)
      clearTimeout(total)
      signal?.removeEventListener('abort', onAbort)
    },
    cause: () => why,
  }
}

/** File calls are safe to repeat, so every broken connection may be retried. */
const brokenOff = (cause: string, status: number | null = null): PlatformError =>
  failureWithoutAnswer('ambiguous', status, cause)

const causeOf = (error: unknown, watched: Watch): string =>
  watched.cause() ??
  (error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'connection_lost')

/** Sends a request and resolves with the response, body unread. */
function send(
  { url, headers }: Prepared,
  method: 'GET' | 'POST',
  limits: StreamLimits & { agent?: Agent },
  how: { signal?: AbortSignal | undefined; body?: AsyncIterable<Uint8Array> },
): Promise<{ answer: IncomingMessage; watched: Watch }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    answer: IncomingMessage
    watched: Watch
  }>()
  const isSecure = url.protocol === 'https:'
  const request = (isSecure ? secureRequest : plainRequest)(url, {
    method,
    headers,
    agent: limits.agent ?? false,
  })
  const watched = watch(request, limits, how.signal)
  const fail = (error: unknown): void => {
    watched.end()
    const cause = causeOf(error, watched)
    reject(
      CONNECTING.has(cause) ? failureWithoutAnswer('unreachable', null, cause) : brokenOff(cause),
    )
  }
  request.on('socket', (socket) => {
    if (request.reusedSocket || !socket.connecting) watched.connected()
    else socket.once(isSecure ? 'secureConnect' : 'connect', watched.connected)
  })
  request.on('error', fail)
  request.on('response', (answer) => {
    watched.connected()
    resolve({ answer, watched })
  })
  if (how.body) pipeline(Readable.from(how.body), request).catch(fail)
  else request.end()
  return promise
}

const CONNECTING = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'connect_timeout',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Reads a complete response up to a limit, in the form that `readAnswer` takes. */
async function wholeOf(
  answer: IncomingMessage,
  maxBytes: number,
  watched: Watch,
): Promise<ExchangeEnd> {
  const status = answer.statusCode ?? 0
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > maxBytes) return { kind: 'lost', cause: 'answer_too_large', status }
      pieces.push(piece)
    }
    if (!answer.complete) return { kind: 'lost', cause: 'connection_lost', status }
    return { kind: 'answered', status, headers: answer.headers, body: Buffer.concat(pieces) }
  } catch (error) {
    return { kind: 'lost', cause: causeOf(error, watched), status }
  } finally {
    watched.end()
    answer.destroy()
  }
}

/** Returns the form interface that the encoder takes: its entries, one of them a file on disk. */
const formOf = (entries: [string, unknown][]): FormDataLike => {
  const each = () => entries[Symbol.iterator]()
  return {
    append: () => undefined,
    getAll: () => [],
    entries: each,
    [Symbol.iterator]: each,
    [Symbol.toStringTag]: 'FormData',
  } as FormDataLike
}

/**
 * Uploads a file as a streamed form (platform documentation: Media). Returns the media ID. Throws
 * PlatformError.
 */
export async function uploadFile(
  prepared: Prepared,
  file: OutgoingFile,
  how: { signal?: AbortSignal | undefined; limits: StreamLimits; context: AnswerContext },
): Promise<string> {
  const fields: [string, string][] = [
    ['messaging_product', 'whatsapp'],
    ['type', file.mimeType],
  ]
  const id = wordOf((await postForm(prepared, { fields, file }, how)).id)
  if (id === null) throw brokenOff('no_id', 200)
  return id
}

/** Posts a streamed form with a file and returns the parsed response. Throws PlatformError. */
export async function postForm(
  prepared: Prepared,
  { fields, file }: { fields: [string, string][]; file: OutgoingFile },
  how: { signal?: AbortSignal | undefined; limits: StreamLimits; context: AnswerContext },
): Promise<JsonObject> {
  const form = formOf([
    ...fields,
    [
      'file',
      {
        name: file.filename,
        type: file.mimeType,
        size: file.sizeBytes,
        lastModified: 0,
        stream: file.stream,
        [Symbol.toStringTag]: 'File',
      },
    ],
  ])
  // The boundary is random, so that file content cannot forge a form field.
  const encoder = new FormDataEncoder(form, `switchboard-${randomBytes(16).toString('hex')}`)
  const headers = { ...prepared.headers, ...encoder.headers }
  const { answer, watched } = await send({ url: prepared.url, headers }, 'POST', how.limits, {
    signal: how.signal,
    body: encoder.encode(),
  })
  return readAnswer(await wholeOf(answer, how.limits.maxAnswerBytes, watched), how.context)
}

/** Streams a file to an upload session and returns the parsed response. Throws PlatformError. */
export async function uploadBytes(
  prepared: Prepared,
  file: Pick<OutgoingFile, 'sizeBytes' | 'stream'>,
  how: { signal?: AbortSignal | undefined; limits: StreamLimits; context: AnswerContext },
): Promise<JsonObject> {
  const headers = {
    ...prepared.headers,
    authorization: `OAuth ${how.context.accessToken}`,
    file_offset: '0',
    'content-type': 'application/octet-stream',
    'content-length': String(file.sizeBytes),
  }
  const { answer, watched } = await send({ url: prepared.url, headers }, 'POST', how.limits, {
    signal: how.signal,
    body: file.stream(),
  })
  return readAnswer(await wholeOf(answer, how.limits.maxAnswerBytes, watched), how.context)
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
