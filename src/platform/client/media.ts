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

/** Some of the platform's hosts answer a page instead of the file to clients without one. */
const USER_AGENT = 'Mozilla/5.0 (compatible; Switchboard)'

/** What the platform tells of one of its files; `url` is good for five minutes. */
export interface MediaFacts {
  url: string
  mimeType: string | null
  /** Base64. */
  sha256: string | null
  sizeBytes: number | null
}

/** A file to hand to the platform. */
export interface OutgoingFile {
  filename: string
  mimeType: string
  sizeBytes: number
  /** Its bytes, read anew for each call. */
  stream: () => AsyncIterable<Uint8Array>
}

/** A file of the platform whose bytes are read as they come. */
export interface IncomingFile {
  /** Declared length, where one was declared. */
  sizeBytes: number | null
  /** Throws PlatformError in the middle. */
  bytes: AsyncIterable<Uint8Array>
}

/** A prepared request: where to and with which right. */
export interface Prepared {
  url: URL
  headers: Record<string, string>
}

/** How long a step may take, milliseconds. */
export interface StreamLimits {
  connectTimeoutMs: number
  totalTimeoutMs: number
  maxAnswerBytes: number
}

/**
 * The facts of a file in the platform's answer. Throws PlatformError when there is no address in
 * it.
 */
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

/** A failure that trying again cannot cure, in the form of the platform's own. */
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
 * Whether the token may be sent to an address the platform named: one of the hosts it keeps files
 * on, with the scheme of its Graph API or a better one.
 */
export function isMediaAddress(written: string, base: URL, hosts: readonly string[]): boolean {
  const url = URL.parse(written)
  if (!url || url.username !== '' || url.password !== '') return false
  if (url.protocol !== 'https:' && !(base.protocol === 'http:' && url.protocol === 'http:'))
    return false
  return url.host === base.host || hosts.includes(url.host)
}

/** Something under way that ends in time: a request, and whatever watches it. */
interface Watch {
  end(): void
  /** The word for why it was cut off; `null` while it was not. */
  cause(): string | null
}

/** Cuts a request off when it does not connect, or end, in time, or when the caller gave up. */
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

/**
 * Nothing that is done here changes anything at the platform that matters twice: every broken
 * connection may be tried again.
 */
const brokenOff = (cause: string, status: number | null = null): PlatformError =>
  failureWithoutAnswer('ambiguous', status, cause)

const causeOf = (error: unknown, watched: Watch): string =>
  watched.cause() ??
  (error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'connection_lost')

/** Sends a request and resolves with its answer, body unread. */
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

/** The whole of an answer, up to a limit, as `readAnswer` takes it. */
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

/** A form as the encoder takes it: its entries, of which one is a file that lies on disk. */
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
 * Uploads a file as a form, streamed (platform documentation: Media). Returns the platform's id of
 * it. Throws PlatformError.
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

/** Sends a form with a file, streamed, and reads the answer. Throws PlatformError. */
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
  // A boundary nobody can foresee: what stands in a file must not look like a part of the form.
  const encoder = new FormDataEncoder(form, `switchboard-${randomBytes(16).toString('hex')}`)
  const headers = { ...prepared.headers, ...encoder.headers }
  const { answer, watched } = await send({ url: prepared.url, headers }, 'POST', how.limits, {
    signal: how.signal,
    body: encoder.encode(),
  })
  return readAnswer(await wholeOf(answer, how.limits.maxAnswerBytes, watched), how.context)
}

/**
 * Sends the bytes of a file to a session of the platform that waits for them, streamed, and reads
 * its answer. Throws PlatformError.
 */
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
 * Opens a file at the address the platform named, with the token; redirects are refused, since the
 * token goes nowhere else. Throws PlatformError, also in the middle of the bytes.
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
