/**
 * Sends requests over so many connections, one at a time on each, and prints what it measured:
 * signed text webhooks, or one request again and again. A process of its own, on plain sockets, so
 * that it takes as little as possible from the server it measures.
 */
import {
  statusChange,
  textMessage,
  type BusinessNumber,
  type Person,
  type Webhook,
} from '../../src/simulator/payloads'
import { platformJson, signatureOf } from '../../src/simulator/signing'

/** What is to be posted. */
export interface Load {
  port: number
  connections: number
  count: number
  secret: string
  lines: BusinessNumber[]
  /** Part of every message id, so that no two runs post the same. */
  run: string
  /** No more than so many a second, evenly; as fast as they are answered unless said. */
  perSecond?: number
  /** The head of a request without a body that is sent instead of webhooks. */
  get?: string
  /**
   * A file that holds `{id, to}` of sent messages, JSON; their statuses are posted instead of
   * texts.
   */
  statusesOf?: string
  /** Texts come from customers of a multiplied sample instead of new ones. */
  customersOf?: KnownCustomers
}

/** Customers of a multiplied sample: so many copies, numbers of a copy so far apart. */
export interface KnownCustomers {
  copies: number
  apart: number
  inCopy: number
  /** The first one that writes. */
  from: number
}

/** What it came to; times are milliseconds. */
export interface Measured {
  tookMs: number
  p50Ms: number
  p99Ms: number
  /** Answers other than 200. */
  refused: number
  /** Bytes of the first answer, head and all. */
  answerBytes: number
}

const CUSTOMERS = 2_000
const FIRST_NUMBER = 15_560_000_000

const personOf = (customer: number): Person => ({
  waId: String(FIRST_NUMBER + customer),
  userId: `US.8${customer}`,
  name: `Customer ${customer}`,
})

/** The names of customers in a sample, in turn. */
export const SAMPLE_NAMES =
  'Ana Sol,Leo Brandt,Zoë Müller,Omar Haddad,Mei Chen,Ivy Stone,Luís Prado,Noor Aziz'.split(',')

/** Coprime to the number of customers, so that one after the other lies elsewhere in the database. */
const STRIDE = 7_919

/** The n-th of known customers, as `side/rig.ts` names them. */
function knownPerson(nth: number, { copies, apart, inCopy, from }: KnownCustomers): Person {
  const place = ((from + nth) * STRIDE) % (copies * inCopy)
  const customer = Math.floor(place / inCopy) * apart + (place % inCopy)
  return {
    waId: String(FIRST_NUMBER + customer),
    userId: `US.${15_560_000_000_000_000_000n + BigInt(customer)}`,
    name: SAMPLE_NAMES[(place % inCopy) % SAMPLE_NAMES.length] ?? '',
  }
}

/** Messages whose statuses come together: all are sent, then delivered, then read. */
const TOGETHER = 500
const STATUSES = ['sent', 'delivered', 'read']

function statusOf(load: Load, nth: number, sent: { id: string; to: string }[]): Webhook {
  const round = Math.floor(nth / TOGETHER)
  const status = STATUSES[round % STATUSES.length] ?? ''
  const message = sent[Math.floor(round / STATUSES.length) * TOGETHER + (nth % TOGETHER)]
  if (!message) throw new Error(`there is no message for status ${nth}`)
  const about = {
    line: load.lines[0] as BusinessNumber,
    person: personOf(Number(message.to) - FIRST_NUMBER),
    timestamp: Math.floor(Date.now() / 1_000),
  }
  const pricing = { billable: false, pricing_model: 'PMP', category: 'service', type: 'regular' }
  return statusChange(message.id, status, { pricing }, about)
}

function textOf(load: Load, nth: number): Webhook {
  const line = load.lines[nth % load.lines.length] as BusinessNumber
  const about = {
    line,
    person: load.customersOf ? knownPerson(nth, load.customersOf) : personOf(nth % CUSTOMERS),
    id: `wamid.${load.run}.${nth}`,
    timestamp: Math.floor(Date.now() / 1_000),
  }
  return textMessage(`Hello, is order ${nth} on its way? ☎`, about)
}

function requestOf(load: Load, webhook: Webhook): Buffer {
  const body = platformJson(webhook)
  const head = [
    'POST /api/webhook HTTP/1.1',
    'Host: localhost',
    'User-Agent: facebookexternalua',
    'Content-Type: application/json',
    `X-Hub-Signature-256: ${signatureOf(load.secret, body)}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Whether a whole answer has arrived. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? '0'
  return Buffer.byteLength(text) >= end + 4 + Number(length)
}

/** Waits for a moment of the clock of this process; coarse below a millisecond. */
async function until(ms: number): Promise<void> {
  for (let leftMs = ms - performance.now(); leftMs > 0; leftMs = ms - performance.now()) {
    if (leftMs > 2) await Bun.sleep(leftMs - 1)
    else await new Promise((resolve) => setImmediate(resolve))
  }
}

async function run(load: Load): Promise<Measured> {
  const { get, statusesOf } = load
  const sent =
    statusesOf === undefined
      ? null
      : ((await Bun.file(statusesOf).json()) as { id: string; to: string }[])
  const webhookOf = (nth: number): Webhook =>
    sent === null ? textOf(load, nth) : statusOf(load, nth, sent)
  const requests =
    get === undefined
      ? Array.from({ length: load.count }, (_, nth) => requestOf(load, webhookOf(nth)))
      : Array.from<Buffer>({ length: load.count }).fill(Buffer.from(`${get}\r\n\r\n`))
  const latencies: number[] = []
  let next = 0
  let refused = 0
  let answerBytes = 0
  let startedMs = performance.now()

  const connection = async (): Promise<() => Promise<void>> => {
    let text = ''
    let answered = Promise.withResolvers<void>()
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: load.port,
      socket: {
        data(_socket, bytes) {
          text += bytes.toString()
          if (isWhole(text)) answered.resolve()
        },
        close: () => answered.reject(new Error('the server closed the connection')),
      },
    })
    socket.setNoDelay(true)
    return async () => {
      for (let request = requests[next]; request; request = requests[next]) {
        const nth = next
        next += 1
        if (load.perSecond !== undefined) await until(startedMs + (nth / load.perSecond) * 1_000)
        text = ''
        answered = Promise.withResolvers<void>()
        const sentMs = performance.now()
        const written = socket.write(request)
        if (written !== request.length)
          throw new Error('the connection does not take a whole request')
        await answered.promise
        latencies.push(performance.now() - sentMs)
        if (!text.startsWith('HTTP/1.1 200')) refused += 1
        if (answerBytes === 0) answerBytes = Buffer.byteLength(text)
      }
      answered.promise.catch(() => undefined)
    }
  }

  const connections = await Promise.all(Array.from({ length: load.connections }, connection))
  startedMs = performance.now()
  await Promise.all(connections.map((work) => work()))
  const tookMs = performance.now() - startedMs
  latencies.sort((a, b) => a - b)
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return { tookMs, p50Ms: at(0.5), p99Ms: at(0.99), refused, answerBytes }
}

if (import.meta.main) {
  // Signing is over when the first line is printed; the clock starts when the go arrives.
  const load = JSON.parse(process.argv[2] ?? '{}') as Load
  const measured = await run(load)
  console.log(JSON.stringify(measured))
  process.exit(0)
}
