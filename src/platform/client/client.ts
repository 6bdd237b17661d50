import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { type Administration } from './administration'
import { createAdministration } from './administration-calls'
import { failureWithoutDetails } from './response'
import { callingCalls, type Calling } from './calling-calls'
import { entryPointCalls, type EntryPointCalls } from './entry-point-calls'
import { flowCalls, type FlowCalls } from './flows'
import { listOf, objectOf, wordOf } from '../lenient-json'
import { onboardingCalls, type Onboarding } from './onboarding-calls'
import { isMediaUrl, openFile, readMediaFacts, permanentFailure } from './media'
import { uploadBytes, uploadFile } from './upload'
import type { IncomingFile, MediaFacts } from './media'
import type { OutgoingFile } from './upload'
import type { StreamLimits } from './streamed-call'
import { PHONE_NUMBER_FIELDS, readPhoneNumber } from './phone-number'
import type { PhoneNumberFacts } from './phone-number'
import { dialed } from '../dialed'
import { phoneDigitsOf, userIdOf } from '../webhook/sender'
import { readReceiptPayload, type ReadReceipt } from './read-receipt'
import { templateCalls, type TemplateCalls } from './templates'
import { createFormPoster, createGraphCaller, prepare } from './graph-call'

export type { PhoneNumberFacts }

/**
 * Closes idle connections well before the platform does. A send on a connection that is being
 * closed has an ambiguous outcome.
 */
const IDLE_CONNECTION_MS = 4000

/** Base URL, limits and clock of the client. */
export interface PlatformClientOptions {
  /**
   * Scheme, host and optional path before the version, for example `https://graph.facebook.com`.
   */
  baseUrl: string
  /** The same for the calls that archive templates. Defaults to `baseUrl`. */
  archiveUrl?: string
  connectTimeoutMs?: number
  totalTimeoutMs?: number
  maxResponseBytes?: number
  /** Hosts besides that of `baseUrl` that receive the token for media downloads. */
  mediaHosts?: readonly string[]
  /** Timeout of a file upload or download in milliseconds. */
  fileTimeoutMs?: number
  /** Clock for `Retry-After` dates. */
  nowMs: () => number
}

/** Phone number and credential of a call. */
export interface NumberCall {
  phoneId: string
  /** For example `v25.0`. */
  apiVersion: string
  accessToken: string
  signal?: AbortSignal
}

/** The two paths on which the platform accepts messages. */
export type SendPath = 'messages' | 'marketing_messages'

/** A message to send. `payload` is the request body from the payload builders. */
export interface SendCall extends NumberCall {
  payload: object
  /** `marketing_messages` takes marketing templates only. Defaults to `messages`. */
  path?: SendPath
}

/** A media lookup. */
export interface MediaCall extends NumberCall {
  mediaId: string
}

/** The platform's receipt: the message was accepted, not yet delivered. */
export interface SendReceipt {
  waMessageId: string
  /** Canonical phone digits of the recipient. They can differ from the dialed ones. */
  waId: string | null
  userId: string | null
  /** Platform value for template sends: accepted, held_for_quality_assessment, … */
  messageStatus: string | null
}

/**
 * Calls to the platform. Each throws PlatformError for any failure of the platform or the network.
 */
export interface PlatformClient
  extends Administration, Calling, EntryPointCalls, FlowCalls, Onboarding, TemplateCalls {
  /** Sends one message. Never retries. */
  sendMessage(call: SendCall): Promise<SendReceipt>
  /**
   * Marks a customer's message and earlier ones as read, optionally with a typing indicator.
   * Idempotent.
   */
  markRead(call: NumberCall & ReadReceipt): Promise<void>
  /** Returns facts about a number, which also proves that the token works. */
  getPhoneNumber(call: NumberCall): Promise<PhoneNumberFacts>
  /** Returns the download URL of a media file. It is valid for five minutes. */
  getMedia(call: MediaCall): Promise<MediaFacts>
  /**
   * Opens a media file at the URL from `getMedia`. Sends the token only to the platform's hosts.
   */
  openMedia(call: NumberCall & { url: string; maxBytes: number }): Promise<IncomingFile>
  /** Uploads a file for this number as a stream. Returns its media ID. Safe to repeat. */
  uploadMedia(call: NumberCall & { file: OutgoingFile }): Promise<string>
  /**
   * Blocks or unblocks a user, who is named by digits or user ID. Returns whether the platform did
   * it. Idempotent.
   */
  blockUser(call: NumberCall & { user: string; isBlocked: boolean }): Promise<boolean>
  /** Closes idle connections, for shutdown. */
  close(): void
}

/**
 * Creates a client for the platform at `baseUrl` and `archiveUrl`. Throws TypeError if one is not an
 * http(s) URL. Redirects are never followed, so tokens go to these hosts only. Responses are read up
 * to `maxResponseBytes`.
 */
export function createPlatformClient({
  baseUrl,
  archiveUrl = baseUrl,
  connectTimeoutMs = 5000,
  totalTimeoutMs = 30_000,
  maxResponseBytes = 1024 * 1024,
  mediaHosts = [],
  fileTimeoutMs = 300_000,
  nowMs,
}: PlatformClientOptions): PlatformClient {
  const [base, archive] = [baseOf(baseUrl), baseOf(archiveUrl)]
  const agents = [agentFor(base), agentFor(archive)] as const
  const limits = { connectTimeoutMs, totalTimeoutMs, maxResponseBytes }

  const fileLimits = {
    connectTimeoutMs,
    totalTimeoutMs: fileTimeoutMs,
    maxResponseBytes,
  }
  const callGraph = createGraphCaller(base, { ...limits, agent: agents[0] }, nowMs)
  const callArchive = createGraphCaller(archive, { ...limits, agent: agents[1] }, nowMs)
  const callNumber = (
    { phoneId, apiVersion, accessToken, signal }: NumberCall,
    path: string,
    payload?: object,
    method?: 'POST' | 'DELETE',
  ) => callGraph({ apiVersion, accessToken, signal, object: phoneId, path, payload, method })

  return {
    ...createAdministration(callGraph, ({ object, file, signal, ...call }) => {
      const context = { accessToken: call.accessToken, nowMs }
      return uploadBytes(prepare(base, { ...call, object }, ''), file, {
        signal,
        limits: fileLimits,
        context,
      })
    }),
    ...flowCalls(callGraph, createFormPoster(base, fileLimits, nowMs)),
    ...callingCalls(callGraph),
    ...entryPointCalls(callGraph),
    ...onboardingCalls(callGraph),
    ...templateCalls(callGraph, callArchive),
    async sendMessage(call) {
      return readReceipt(await callNumber(call, `/${call.path ?? 'messages'}`, call.payload))
    },
    async markRead(call) {
      await callNumber(call, '/messages', readReceiptPayload(call))
    },
    async getPhoneNumber(call) {
      const facts = readPhoneNumber(
        await callNumber(call, `?fields=${PHONE_NUMBER_FIELDS.join(',')}`),
      )
      if (facts === null) throw failureWithoutDetails('ambiguous', 200, 'no_id')
      return facts
    },
    ...fileCalls({ base, callNumber, mediaHosts, limits: fileLimits, nowMs }),
    async blockUser({ user, isBlocked, ...call }) {
      const block_users = [{ user: phoneDigitsOf(user) === null ? user : dialed(user) }]
      const payload = { messaging_product: 'whatsapp', block_users }
      const response = await callNumber(
        call,
        '/block_users',
        payload,
        isBlocked ? 'POST' : 'DELETE',
      )
      return listOf(objectOf(response.block_users).failed_users).length === 0
    },
    close() {
      for (const agent of agents) agent.destroy()
    },
  }
}

function baseOf(url: string): URL {
  const base = new URL(url)
  if (base.protocol !== 'https:' && base.protocol !== 'http:')
    throw new TypeError('The platform URL must begin with http:// or https://.')
  return base
}

const agentFor = (base: URL): Agent =>
  new (base.protocol === 'https:' ? SecureAgent : Agent)({
    keepAlive: true,
    timeout: IDLE_CONNECTION_MS,
  })

/** The parts of the client that the file calls use. */
interface FileCallContext {
  base: URL
  callNumber: (call: NumberCall, path: string) => Promise<Record<string, unknown>>
  mediaHosts: readonly string[]
  limits: StreamLimits
  nowMs: () => number
}

/** Calls with streamed bodies. */
function fileCalls({
  base,
  callNumber,
  mediaHosts,
  limits,
  nowMs,
}: FileCallContext): Pick<PlatformClient, 'getMedia' | 'openMedia' | 'uploadMedia'> {
  return {
    async getMedia({ mediaId, ...call }) {
      if (!/^\d{1,32}$/.test(mediaId)) throw permanentFailure('malformed_media_id')
      return readMediaFacts(
        await callNumber({ ...call, phoneId: mediaId }, `?phone_number_id=${call.phoneId}`),
      )
    },
    async openMedia({ url, maxBytes, ...call }) {
      if (!isMediaUrl(url, base, mediaHosts)) throw permanentFailure('foreign_host')
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

function readReceipt(response: Record<string, unknown>): SendReceipt {
  const message = objectOf(listOf(response.messages)[0])
  const contact = objectOf(listOf(response.contacts)[0])
  const waMessageId = wordOf(message.id)
  // Success without an ID: the message may be sent, but no status can be matched to it.
  if (waMessageId === null) throw failureWithoutDetails('ambiguous', 200, 'no_message_id')
  return {
    waMessageId,
    waId: phoneDigitsOf(contact.wa_id),
    userId: userIdOf(contact.user_id),
    messageStatus: wordOf(message.message_status),
  }
}
