import { readCommandVariable } from '../config'
import { machine } from '../container'
import { AppError, ForbiddenError } from '../lib/errors'
import { MINUTE_MS, SECOND_MS } from '../lib/clock'
import { signWebhook } from '../lib/standard-webhook'
import { isEventPattern } from '../modules/delivery/realtime/webhook-events'
import { newSigningSecret } from '../modules/delivery/webhooks/secrets'
import { print, requiredText, textOf, UsageError, type Command, type Flags } from './command'

const { clock, ids } = machine()

const TIMEOUT_MS = 15 * SECOND_MS

/** Pauses between attempts to connect. */
const FIRST_PAUSE_MS = SECOND_MS
const LAST_PAUSE_MS = 30 * SECOND_MS

/**
 * Streams the events of an organization to a program on this machine, signed like those of a
 * webhook endpoint. Needs no public address.
 */
export const listen: Command = {
  name: 'listen',
  forms: [
    [
      'listen --forward URL [--url URL] [--events EVENTS] [--secret SECRET]',
      'send the events of an organization to a program on this machine',
    ],
  ],
  more:
    'Sends each event as a webhook endpoint gets it, while this command runs; nothing is kept ' +
    'or repeated.\nThe access token or API key is read from SWITCHBOARD_TOKEN or ' +
    'SWITCHBOARD_API_KEY; it needs `webhooks:update`\nand the permissions to choose these events.\n' +
    '--url names the server, http://localhost:8080 by default; --secret the signing secret, which ' +
    'is a\nnew one by default; --events limits the events, for example message.*,contact.created.',
  flags: {
    forward: { type: 'string' },
    url: { type: 'string' },
    secret: { type: 'string' },
    events: { type: 'string' },
  },
  words: 0,
  async run({ flags, variables }) {
    const target = readUrl('forward', requiredText(flags, 'forward'))
    const server = readUrl('url', textOf(flags, 'url') ?? 'http://localhost:8080')
    const secret = textOf(flags, 'secret') ?? newSigningSecret()
    const topics = topicsOf(flags)
    const credential = credentialOf(variables())
    print(`Forwarding to ${target.href}. Signing secret: ${secret}`)
    await listenForEver({ server, credential, topics }, (event) => forward(target, secret, event))
  },
}

function readUrl(name: string, text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--${name} must be a URL that begins with http:// or https://.`)
  return url
}

/** Headers that authenticate requests. */
type Credential = Record<string, string>

function credentialOf(env: Record<string, string | undefined>): Credential {
  const key = readCommandVariable(env, 'SWITCHBOARD_API_KEY')
  if (key !== null) return { 'x-api-key': key }
  const token = readCommandVariable(env, 'SWITCHBOARD_TOKEN')
  if (token !== null) return { authorization: `Bearer ${token}` }
  throw new UsageError('Set SWITCHBOARD_TOKEN or SWITCHBOARD_API_KEY.')
}

/** An event as webhooks send it. */
interface ListenedEvent {
  type: string
  [field: string]: unknown
}

/** Returns the topics of the chosen events. Throws UsageError for one that does not exist. */
function topicsOf(flags: Flags): string[] {
  const patterns = (textOf(flags, 'events') ?? '*').split(',').map((pattern) => pattern.trim())
  for (const pattern of patterns)
    if (!isEventPattern(pattern))
      throw new UsageError(
        `"${pattern}" is no event. Name them as message.received, message.* or *, with commas between.`,
      )
  return patterns.map((pattern) => `webhooks:${pattern}`)
}

interface Source {
  server: URL
  credential: Credential
  topics: string[]
}

/** Connects again whenever the connection is lost. Ends only by an error that trying cannot mend. */
async function listenForEver(
  source: Source,
  handle: (event: ListenedEvent) => Promise<void>,
): Promise<never> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)) {
    const startedMs = clock.nowMs()
    const reason = await listenOnce(source, handle)
    if (clock.nowMs() - startedMs > MINUTE_MS) pauseMs = FIRST_PAUSE_MS
    print(`${reason} Connecting again in ${pauseMs / SECOND_MS} s.`)
    await Bun.sleep(pauseMs)
  }
}

/** Statuses of refusals that another attempt may mend: a server that waited too long, and a limit. */
const PASSING = [408, 429]

/**
 * Gets a ticket for a socket, or why there is none now, as a sentence. Throws an error with the
 * server's message if it is refused for good.
 */
async function ticketOf({
  server,
  credential,
}: Source): Promise<{ ticket: string } | { reason: string }> {
  const response = await fetch(new URL('/api/auth/ws-ticket', server), {
    method: 'POST',
    headers: credential,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => null)
  const none = { reason: `No answer from ${server.origin}.` }
  if (!response) return none
  // A proxy in front of the server may answer with a page, or cut the answer off.
  const body: unknown = await response.json().catch(() => null)
  const answer = (body ?? {}) as { data?: { ticket?: string } | null; message?: string }
  const { status } = response
  const ticket = answer.data?.ticket
  if (ticket !== undefined) return { ticket }
  if (status < 400 || status >= 500) return none
  const reason = answer.message ?? `The server answered ${status}.`
  if (!PASSING.includes(status)) throw new AppError(status, reason, { code: 'refused' })
  return { reason }
}

/** Forwards events until the connection ends. Returns why it ended, as a sentence. */
async function listenOnce(
  source: Source,
  handle: (event: ListenedEvent) => Promise<void>,
): Promise<string> {
  const found = await ticketOf(source)
  if ('reason' in found) return found.reason
  const address = new URL(`/ws?ticket=${found.ticket}`, source.server)
  address.protocol = source.server.protocol === 'https:' ? 'wss:' : 'ws:'
  const socket = new WebSocket(address)
  const ended = Promise.withResolvers<string>()
  socket.onopen = () =>
    socket.send(JSON.stringify({ type: 'subscribe', payload: { topics: source.topics } }))
  socket.onclose = ({ reason }) => ended.resolve(`The connection was closed. ${reason}`.trim())
  socket.onerror = () => ended.resolve('The connection was lost.')
  let last = Promise.resolve()
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(String(data)) as { type: string; payload: ListenedEvent }
    if (frame.type === 'subscribed') print('Listening for events.')
    if (frame.type === 'error') ended.reject(new ForbiddenError(String(frame.payload['message'])))
    if (frame.type === 'webhook:event') last = last.then(() => handle(frame.payload))
  }
  try {
    return await ended.promise
  } finally {
    socket.close()
    await last
  }
}

/** Posts an event, signed, and prints the answer. */
async function forward(target: URL, secret: string, event: ListenedEvent): Promise<void> {
  const body = JSON.stringify(event)
  const id = `msg_${ids.next()}`
  const timestampS = Math.floor(clock.nowMs() / SECOND_MS)
  const startedMs = clock.nowMs()
  const answer = await fetch(target, {
    method: 'POST',
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestampS),
      'webhook-signature': signWebhook(secret, { id, timestampS, body }),
      'webhook-attempt': '1',
    },
  }).catch(() => null)
  await answer?.body?.cancel()
  const took = `${clock.nowMs() - startedMs} ms`
  print(`${event.type} → ${answer ? `${answer.status} (${took})` : 'no answer'}`)
}
