import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { administrationOf, isEndpoint, type Administration, type AskGraph } from './administration'
import { failureWithoutAnswer, readAnswer } from './response'
import { PlatformError } from './errors'
import { callOverHttp } from './http-call'
import { flowCallsOf, type FlowCalls, type PostForm } from './flows'
import type { Call, ExchangeLimits } from './http-call'
import { listOf, objectOf, wordOf } from '../lenient-json'
import {
  isMediaAddress,
  openFile,
  postForm,
  readMediaFacts,
  refusedByUs,
  uploadBytes,
  uploadFile,
} from './media'
import type { IncomingFile, MediaFacts, OutgoingFile, StreamLimits } from './media'
import { PHONE_NUMBER_FIELDS, readPhoneNumber } from './phone-number'
import type { PhoneNumberFacts } from './phone-number'
import { readPayload, type ReadMark } from './read-receipt'
import { templateCalls, type TemplateCalls } from './templates'

export type { PhoneNumberFacts }

/**
 * Idle connections are closed after this, well before the platform closes them: a send that meets a
 * closing one ends ambiguous.
 */
const IDLE_CONNECTION_MS = 4000

/** Where the platform is and how long and how much a call may take. */
export interface PlatformClientOptions {
  /**
   * Scheme, host and optional path in front of the version, for example
   * `https://graph.facebook.com`.
   */
  baseUrl: string
  connectTimeoutMs?: number
  totalTimeoutMs?: number
  maxAnswerBytes?: number
  /** Hosts, besides the one of `baseUrl`, from which files may be fetched with the token. */
  mediaHosts?: readonly string[]
  /** How long a file may take to go up or come down, milliseconds. */
  fileTimeoutMs?: number
  /** Clock for `Retry-After` dates. */
  nowMs: () => number
}

/** Which number a call is made for and with what right. */
export interface NumberCall {
  phoneId: string
  /** For example `v25.0`. */
  apiVersion: string
  accessToken: string
  signal?: AbortSignal
}

/** A message to hand over: the platform's own body, as the payload builders make it. */
export interface SendCall extends NumberCall {
  payload: object
}

/** A file of the platform's to be looked up for a number. */
export interface MediaCall extends NumberCall {
  mediaId: string
}

/** The platform's receipt: accepted for delivery, not delivered. */
export interface SendReceipt {
  waMessageId: string
  /** Canonical phone digits of the recipient; can differ from those dialled. */
  waId: string | null
  userId: string | null
  /** The platform's word, on template sends: accepted, held_for_quality_assessment, … */
  messageStatus: string | null
}

/**
 * Calls to the messaging platform. Each throws PlatformError and nothing else when the platform or
 * the network fails.
 */
export interface PlatformClient extends Administration, FlowCalls, TemplateCalls {
  /** Hands one message over. Never repeats the request by itself. */
  sendMessage(call: SendCall): Promise<SendReceipt>
  /**
   * Marks a customer's message and the earlier ones as read, perhaps with a sign that somebody
   * writes. May be repeated safely.
   */
  markRead(call: NumberCall & ReadMark): Promise<void>
  /** Reads what the platform knows about a number, which also proves the token. */
  getPhoneNumber(call: NumberCall): Promise<PhoneNumberFacts>
  /** Where a file of this number can be fetched from, for five minutes. */
  getMedia(call: MediaCall): Promise<MediaFacts>
  /**
   * Opens a file at the address `getMedia` told; the token goes to the platform's own hosts only.
   */
  openMedia(call: NumberCall & { url: string; maxBytes: number }): Promise<IncomingFile>
  /**
   * Hands a file over for this number, streamed; returns the platform's id of it. May be repeated
   * safely.
   */
  uploadMedia(call: NumberCall & { file: OutgoingFile }): Promise<string>
  /**
   * Keeps somebody's messages away from this number, or lets them through again; whether the
   * platform did. May be repeated safely.
   */
  blockUser(call: NumberCall & { user: string; isBlocked: boolean }): Promise<boolean>
  /** Closes idle connections, for shutdown. */
  close(): void
}

/**
 * A client for the platform at `baseUrl`. Throws TypeError when that is no http(s) address. Tokens
 * go to this host only, as redirects are never followed. Answers are read up to `maxAnswerBytes`.
 */
export function createPlatformClient({
  baseUrl,
  connectTimeoutMs = 5000,
  totalTimeoutMs = 30_000,
  maxAnswerBytes = 1024 * 1024,
  mediaHosts = [],
  fileTimeoutMs = 300_000,
  nowMs,
}: PlatformClientOptions): PlatformClient {
  const base = new URL(baseUrl)
  if (base.protocol !== 'https:' && base.protocol !== 'http:')
    throw new TypeError('The platform address must begin with http:// or https://.')
  const agent = new (base.protocol === 'https:' ? SecureAgent : Agent)({
    keepAlive: true,
    timeout: IDLE_CONNECTION_MS,
  })
  const limits: ExchangeLimits = { connectTimeoutMs, totalTimeoutMs, maxAnswerBytes, agent }

  const fileLimits = { connectTimeoutMs, totalTimeoutMs: fileTimeoutMs, maxAnswerBytes }
  const askGraph = askerOf(base, limits, nowMs)
  const ask = (
    { phoneId, apiVersion, accessToken, signal }: NumberCall,
    path: string,
    payload?: object,
    method?: 'POST' | 'DELETE',
  ) => askGraph({ apiVersion, accessToken, signal, object: phoneId, path, payload, method })

  return {
    ...administrationOf(askGraph, ({ object, file, signal, ...call }) => {
      const context = { accessToken: call.accessToken, nowMs }
      return uploadBytes(prepare(base, { ...call, object }, ''), file, {
        signal,
        limits: fileLimits,
        context,
      })
    }),
    ...flowCallsOf(askGraph, formPoster(base, fileLimits, nowMs)),
    ...templateCalls(askGraph),
    async sendMessage(call) {
      return readReceipt(await ask(call, '/messages', call.payload))
    },
    async markRead(call) {
      await ask(call, '/messages', readPayload(call))
    },
    async getPhoneNumber(call) {
      const facts = readPhoneNumber(await ask(call, `?fields=${PHONE_NUMBER_FIELDS.join(',')}`))
      if (facts === null) throw failureWithoutAnswer('ambiguous', 200, 'no_id')
      return facts
    },
    ...fileCalls({ base, ask, mediaHosts, limits: fileLimits, nowMs }),
    async blockUser({ user, isBlocked, ...call }) {
      const payload = { messaging_product: 'whatsapp', block_users: [{ user }] }
      const answer = await ask(call, '/block_users', payload, isBlocked ? 'POST' : 'DELETE')
      return listOf(objectOf(answer.block_users).failed_users).length === 0
    },
    close() {
      agent.destroy()
    },
  }
}

/** What calls about files need of the client they belong to. */
interface FileCalling {
  base: URL
  ask: (call: NumberCall, path: string) => Promise<Record<string, unknown>>
  mediaHosts: readonly string[]
  limits: StreamLimits
  nowMs: () => number
}

/** The calls whose bodies are streams. */
function fileCalls({
  base,
  ask,
  mediaHosts,
  limits,
  nowMs,
}: FileCalling): Pick<PlatformClient, 'getMedia' | 'openMedia' | 'uploadMedia'> {
  return {
    async getMedia({ mediaId, ...call }) {
      if (!/^\d{1,32}$/.test(mediaId)) throw refusedByUs('malformed_media_id')
      return readMediaFacts(
        await ask({ ...call, phoneId: mediaId }, `?phone_number_id=${call.phoneId}`),
      )
    },
    async openMedia({ url, maxBytes, ...call }) {
      if (!isMediaAddress(url, base, mediaHosts)) throw refusedByUs('foreign_host')
      const { headers } = prepare(base, { ...call, object: call.phoneId }, '')
      const context = { accessToken: call.accessToken, nowMs }
      return await openFile(
        { url: new URL(url), headers },
        { signal: call.signal, limits, maxBytes, context },
      )
    },
    async uploadMedia({ file, ...call }) {
      const context = { accessToken: call.accessToken, nowMs }
      return await uploadFile(prepare(base, { ...call, object: call.phoneId }, '/media'), file, {
        signal: call.signal,
        limits,
        context,
      })
    },
  }
}

/** Sends forms with a text as their file to objects of the platform at `base`. */
const formPoster =
  (base: URL, limits: StreamLimits, nowMs: () => number): PostForm =>
  async ({ object, path, fields, file: { text, ...file }, signal, ...call }) => {
    const bytes = new TextEncoder().encode(text)
    const stream = async function* (): AsyncGenerator<Uint8Array> {
      yield bytes
    }
    const prepared = prepare(base, { ...call, object }, path)
    const context = { accessToken: call.accessToken, nowMs }
    return await postForm(
      prepared,
      { fields, file: { ...file, sizeBytes: bytes.length, stream } },
      { signal, limits, context },
    )
  }

/** Asks the platform at `base` about any object of it. */
const askerOf =
  (base: URL, limits: ExchangeLimits, nowMs: () => number): AskGraph =>
  async ({ object, path = '', payload, method, secrets = [], signal, ...call }) => {
    const prepared = prepare(base, { ...call, object }, path)
    const body = payload === undefined ? null : JSON.stringify(payload)
    if (body !== null) {
      prepared.headers['content-type'] = 'application/json'
      prepared.headers['content-length'] = String(Buffer.byteLength(body))
    }
    const end = await callOverHttp(
      { ...prepared, method: method ?? (body === null ? 'GET' : 'POST'), body, signal },
      limits,
    )
    return readAnswer(end, { accessToken: call.accessToken ?? '', secrets, nowMs })
  }

function prepare(
  base: URL,
  {
    object,
    apiVersion,
    accessToken,
  }: { object: string; apiVersion: string; accessToken: string | null },
  path: string,
): Pick<Call, 'url' | 'headers'> {
  // The account's form checks both; here they keep a bad row from choosing another path of the
  // host.
  if (!/^\d{1,32}$/.test(object) && !isEndpoint(object))
    throw new TypeError('the id of an object is malformed.')
  if (!/^v\d+\.\d+$/.test(apiVersion)) throw new TypeError('apiVersion is malformed.')
  if (accessToken !== null && !/^[\x21-\x7e]+$/.test(accessToken)) throw unusableToken()
  const root = `${base.origin}${base.pathname.replace(/\/+$/, '')}`
  return {
    url: new URL(`${root}/${apiVersion}/${object}${path}`),
    headers: {
      ...(accessToken === null ? {} : { authorization: `Bearer ${accessToken}` }),
      accept: 'application/json',
      'accept-encoding': 'identity',
    },
  }
}

/** A token that cannot stand in a header is refused here as the platform would refuse it. */
function unusableToken(): PlatformError {
  return new PlatformError({
    outcome: 'refused',
    platformCode: null,
    subcode: null,
    httpStatus: null,
    retryClass: 'credential',
    retryAfterMs: null,
    details: 'malformed_token',
    traceId: null,
    platformMessage: null,
  })
}

function readReceipt(answer: Record<string, unknown>): SendReceipt {
  const message = objectOf(listOf(answer.messages)[0])
  const contact = objectOf(listOf(answer.contacts)[0])
  const waMessageId = wordOf(message.id)
  // Success without an id: the message may be on its way, and there is nothing to follow it by.
  if (waMessageId === null) throw failureWithoutAnswer('ambiguous', 200, 'no_message_id')
  return {
    waMessageId,
    waId: wordOf(contact.wa_id),
    userId: wordOf(contact.user_id),
    messageStatus: wordOf(message.message_status),
  }
}
